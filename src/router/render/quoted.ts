/**
 * One word of HAProxy's configuration that means this text and nothing else: inside single quotes every character stands
 * for itself. Throws for what no quoting can hold, a line end or another control character.
 */
export function quoted(text: string): string {
  if (!isOneLine(text))
    throw new Error(`Cannot quote ${JSON.stringify(text)}: expected text without control characters`);
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The same where HAProxy reads a log-format: `%` means itself. */
export function quotedLiteral(text: string): string {
  return quoted(text.replaceAll('%', '%%'));
}

/**
 * The same for a header's value, in which a Route may name a header of the request or the response, or the client's
 * certificate: `%[req.hdr(X-Name),lower]`. Whatever else has a `%` means itself.
 */
export function quotedHeader(value: string, of: 'req' | 'res'): string {
  // An empty word is none for HAProxy.
  if (value === '') return "'%[str()]'";
  return quoted(value.replaceAll(percent[of], (found) => (found.length > 2 ? found : '%%')));
}

const flags = String.raw`(?:\{[-+]?[QXE](?:,[-+]?[QXE])*\})?`;
/** From left to right: `%%` is already the spelling of one `%`, and what follows it is text. */
const percents = (of: 'req' | 'res') =>
  new RegExp(
    String.raw`%%|%${flags}\[(?:${of}\.hdr\([-0-9A-Za-z]+\)|ssl_c_der)(?:,(?:lower|base64))*\]|%`,
    'g',
  );
/** A response's headers are not there yet when the request is changed. */
const percent = { req: percents('req'), res: percents('res') } as const;

/** A regular expression that matches this text. */
export function regexLiteral(text: string): string {
  return text.replaceAll(/[\\.+*?()|[\]{}^$]/g, '\\$&');
}

export function isOneLine(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what it refuses.
  return !/[\u0000-\u001f\u007f]/.test(text);
}
