/** Characters allowed in configuration text that comes from data, not from the template. */
const safe = /^[A-Za-z0-9._:/@%+,=~[\]-]+$/;

export const expectedText = 'expected only A-Z a-z 0-9 . _ : / @ % + , = ~ [ ] -';

export function isSafeText(text: string): boolean {
  return safe.test(text);
}

/**
 * Returns the text of a printed value. Throws if the text contains a character that ends a word, line or string in a program's configuration, or
 * starts a comment, variable or block: blanks, control characters, quotes, `#`, `\`, `$`, `{`, `}`. Nothing is escaped or dropped, because a silently
 * changed name is a wrong name. A missing value is also an error, not an empty string.
 */
export function safeText(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number')
    throw new Error(`Cannot print a value of type "${typeof value}": expected a string or a number`);
  const text = String(value);
  if (!isSafeText(text)) throw new Error(`Cannot print the value ${JSON.stringify(text)}: ${expectedText}`);
  return text;
}
