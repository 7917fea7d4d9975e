/**
 * Returns one word of HAProxy's configuration that has exactly this text: inside single quotes every character is literal. Throws if the text
 * contains a control character, such as a newline, which cannot be quoted.
 */
export function quoted(text: string): string {
  if (!isOneLine(text))
    throw new Error(`Cannot quote ${JSON.stringify(text)}: expected text without control characters`);
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Like `quoted`, for places where HAProxy parses a log format: `%` is escaped. */
export function quotedLiteral(text: string): string {
  return quoted(text.replaceAll('%', '%%'));
}

/**
 * Like `quoted`, for a header's value. Expressions that read a header of the request or response, or the client's certificate, stay as they are:
 * `%[req.hdr(X-Name),lower]`. Every other `%` is escaped.
 */
export function quotedHeader(value: string, of: 'req' | 'res'): string {
  // HAProxy ignores an empty word.
  if (value === '') return "'%[str()]'";
  return quoted(value.replaceAll(percent[of], (found) => (found.length > 2 ? found : '%%')));
}

const flags = String.raw`(?:\{[-+]?[QXE](?:,[-+]?[QXE])*\})?`;
/** Matched from left to right: `%%` is an escaped `%`, and what follows it is text. */
const percents = (of: 'req' | 'res') =>
  new RegExp(
    String.raw`%%|%${flags}\[(?:${of}\.hdr\([-0-9A-Za-z]+\)|ssl_c_der)(?:,(?:lower|base64))*\]|%`,
    'g',
  );
/** A request rule cannot read the headers of the response, which does not exist yet. */
const percent = { req: percents('req'), res: percents('res') } as const;

/** Returns a regular expression that matches exactly this text. */
export function regexLiteral(text: string): string {
  return text.replaceAll(/[\\.+*?()|[\]{}^$]/g, '\\$&');
}

export function isOneLine(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses.
  return !/[\u0000-\u001f\u007f]/.test(text);
}
