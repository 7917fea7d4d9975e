import type * as z from 'zod/mini';

/** What came of one object: what the router keeps of it, or every reason why it cannot be used. */
export type Reading<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'refused'; readonly problems: readonly string[] };

/** Checks an object's form, and keeps what `keep` returns. Never throws, whatever the object is. */
export function reader<Schema extends z.ZodMiniType, T>(
  schema: Schema,
  keep: (object: z.infer<Schema>) => T,
): (object: unknown) => Reading<T> {
  return (object) => {
    const parsed = schema.safeParse(object);
    return parsed.success
      ? { kind: 'read', value: keep(parsed.data) }
      : { kind: 'refused', problems: parsed.error.issues.map(problemOf) };
  };
}

/** For `Resource<T>`: an object that cannot be read is dropped. */
export function projecting<T>(
  read: (object: unknown) => Reading<T>,
  refused: (object: unknown, problems: readonly string[]) => void = () => undefined,
): (object: unknown) => T | undefined {
  return (object) => {
    const reading = read(object);
    if (reading.kind === 'read') return reading.value;
    refused(object, reading.problems);
    return undefined;
  };
}

/** `spec.to.name: expected string`. Values are not repeated: they may be secrets, or hostile. */
function problemOf(issue: z.core.$ZodIssue): string {
  const path = issue.path
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${String(step)}`,
    )
    .join('');
  const message = issue.code === 'invalid_type' ? `expected ${issue.expected}` : issue.message;
  return path === '' ? message : `${path}: ${message}`;
}
