import type * as z from 'zod/mini';

/** Undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The entries of a list that match `entry`; others are dropped. Empty text, and JSON that is not a list, has no entries. Throws if the text is not
 * JSON.
 */
export function parseList<T>(text: string, entry: z.ZodMiniType<T>): readonly T[] {
  const parsed: unknown = JSON.parse(text || '[]');
  return Array.isArray(parsed) ? parsed.flatMap((each) => entry.safeParse(each).data ?? []) : [];
}
