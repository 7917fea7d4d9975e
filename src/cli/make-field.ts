import * as z from 'zod/mini';

/** JSON Schema of a value in the settings file. */
export type FileForm = Readonly<Record<string, unknown>>;

/** Of field parsers whose form in a file is not the text that a flag has: numbers and lists. */
export const fileForms = z.registry<FileForm>();

/** What `parse` makes of a text; a text of which it makes undefined is refused with this message. */
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

/**
 * Several of these, separated by commas; a list in the settings file. Where there is a message, it refuses an empty list.
 */
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
