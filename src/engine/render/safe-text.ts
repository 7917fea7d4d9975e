/** Characters allowed in configuration text that comes from data and not from the template. */
const safe = /^[A-Za-z0-9._:/@%+,=~[\]-]+$/;

export const expectedText = 'expected only A-Z a-z 0-9 . _ : / @ % + , = ~ [ ] -';

export function isSafeText(text: string): boolean {
  return safe.test(text);
}

/**
 * The text of a printed value. Throws if it contains anything that ends a word, a line or a string in the syntax of a program's configuration, or starts
 * a comment, a variable or a block there: blanks, control characters, quotes, `#`, `\`, `$`, `{`, `}`. Nothing is escaped or dropped: a silently
 * changed name is a wrong name. A missing value is an error too, never an empty string.
 */
export function safeText(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number')
    throw new Error(`Cannot print a value of type "${typeof value}": expected a string or a number`);
  const text = String(value);
  if (!isSafeText(text)) throw new Error(`Cannot print the value ${JSON.stringify(text)}: ${expectedText}`);
  return text;
}
