import * as z from 'zod/mini';

/** JSON Schema of a value in the settings file. */
export type FileForm = Readonly<Record<string, unknown>>;

/** JSON Schemas of fields that are not plain text in the file: numbers and lists. */
export const fileForms = z.registry<FileForm>();

/** A field parsed by `parse`. Text for which it returns undefined is refused with this message. */
export function parsedBy<T>(parse: (text: string) => T | undefined, message: string) {
  return z.pipe(
    z.string(),
    z.transform((text, context): T => {
      const value = parse(text);
      if (value !== undefined) return value;
      context.issues.push({ code: 'custom', input: text, message });
      return z.NEVER;
    }),
  );
}

/** A list separated by commas; a YAML list in the settings file. With `message`, an empty list is refused. */
export function listOf<Element extends z.ZodMiniType<unknown, string>>(element: Element, message?: string) {
  const array = z.array(element);
  const list = z.pipe(
    z.pipe(
      z.string(),
      z.transform((text) =>
        text
          .split(',')
          .map((part) => part.trim())
          .filter((part) => part !== ''),
      ),
    ),
    message === undefined ? array : array.check(z.minLength(1, { error: message })),
  );
  return list.register(fileForms, { type: ['array', 'string'], items: { type: 'string' } });
}
