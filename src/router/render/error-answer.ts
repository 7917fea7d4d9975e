/** HAProxy keeps an answer in one buffer, with some bytes for each line of its head. */
const OVERHEAD_BYTES = 1_024;

const head =
  /^HTTP\/1\.[01] [1-5]\d\d(?: [^\r\n]*)?\r?\n((?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\r\n]*\r?\n)*)\r?\n/;

/** Why HAProxy would not take it as the answer of an `errorfile`. Undefined if it is a whole HTTP/1 answer. */
export function errorAnswerProblem(content: Buffer, bufferSize: number): string | undefined {
  const text = content.toString('latin1');
  const [all, headers = ''] = head.exec(text) ?? [];
  if (all === undefined)
    return 'it is not an HTTP answer, expected "HTTP/1.0 503 …", headers, an empty line, and the page';
  if (/^transfer-encoding:/im.test(headers)) return 'it has Transfer-Encoding, expected none';
  const [, length] = /^content-length:[ \t]*([^\r\n]*?)[ \t]*\r?$/im.exec(headers) ?? [];
  const body = content.length - all.length;
  if (length !== undefined && length !== `${body}`)
    return `it has Content-Length: ${length} and a page of ${body} bytes, expected both to be the same`;
  const most = bufferSize - OVERHEAD_BYTES;
  return content.length > most
    ? `it has ${content.length} bytes, expected at most ${most} with ROUTER_BUF_SIZE ${bufferSize}`
    : undefined;
}
