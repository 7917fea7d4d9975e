/**
 * Maximum bytes of a line without its end: enough to change a thousand servers, as when a node is lost. Above that, a reload is faster than changing
 * servers one by one.
 */
export const MAX_LINE_BYTES = 256 * 1024;

export type SplitLine = { readonly kind: 'line'; readonly text: string } | { readonly kind: 'too-long' };

interface LineSplitter {
  /** Returns the lines that this chunk completes. Never throws; never buffers more than the limit. */
  readonly push: (chunk: Uint8Array) => readonly SplitLine[];
  /** Returns the last line if it has no line end, because the client closed its side: `printf reload | socat` works too. */
  readonly end: () => readonly SplitLine[];
}

/**
 * Splits a byte stream into lines, which end with LF or CRLF. Skips blank lines. A line over the limit is reported once, when it or the stream ends;
 * its bytes are discarded.
 */
export function createLineSplitter(maxBytes = MAX_LINE_BYTES): LineSplitter {
  let held: Uint8Array[] = [];
  let heldBytes = 0;

  const hold = (piece: Uint8Array): void => {
    heldBytes += piece.length;
    // Keep one byte over the limit: a CR may belong to the line end.
    if (heldBytes <= maxBytes + 1) held.push(piece);
    else held = [];
  };
  const take = (): SplitLine | undefined => {
    const text = Buffer.concat(held).toString('utf8').replace(/\r$/, '').trim();
    const tooLong = heldBytes > maxBytes + 1 || Buffer.byteLength(text) > maxBytes;
    held = [];
    heldBytes = 0;
    if (tooLong) return { kind: 'too-long' };
    return text === '' ? undefined : { kind: 'line', text };
  };
  const push = (chunk: Uint8Array): readonly SplitLine[] => {
    const lines: SplitLine[] = [];
    let rest = chunk;
    for (let at = rest.indexOf(10); at !== -1; at = rest.indexOf(10)) {
      hold(rest.subarray(0, at));
      const line = take();
      if (line !== undefined) lines.push(line);
      rest = rest.subarray(at + 1);
    }
    if (rest.length > 0) hold(rest);
    return lines;
  };
  const end = (): readonly SplitLine[] => {
    const line = heldBytes > 0 ? take() : undefined;
    return line === undefined ? [] : [line];
  };
  return { push, end };
}
