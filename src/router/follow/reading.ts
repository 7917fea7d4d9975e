import type * as z from 'zod/mini';

/** The result of reading one object: the fields that the router keeps, or every problem that was found. */
export type Reading<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'refused'; readonly problems: readonly string[] };

/** Returns a function that validates an object against the schema and maps it with `keep`. It never throws. */
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

/** Adapts a reader to `Resource<T>`: an object that cannot be read is reported and dropped. */
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

/** `spec.to.name: expected string`. Never quotes values: they may be secrets, or hostile. */
function problemOf(issue: z.core.$ZodIssue): string {
  const path = issue.path
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${String(step)}`,
    )
    .join('');
  const message = issue.code === 'invalid_type' ? `expected ${issue.expected}` : issue.message;
  return path === '' ? message : `${path}: ${message}`;
}
