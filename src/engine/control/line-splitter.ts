/**
 * The longest line a client may send, in bytes without its end: a change of a thousand servers has room, as when a node is lost. More of them
 * take longer one by one than a reload does.
 */
export const MAX_LINE_BYTES = 256 * 1024;

export type SplitLine = { readonly kind: 'line'; readonly text: string } | { readonly kind: 'too-long' };

interface LineSplitter {
  /** The lines that this piece of the stream completes. Never throws, never keeps more than the limit. */
  readonly push: (chunk: Uint8Array) => readonly SplitLine[];
  /** What was left without a line end when the client closed its side: `printf reload | socat` counts too. */
  readonly end: () => readonly SplitLine[];
}

/**
 * Cuts a byte stream into lines. Both LF and CRLF end a line, blank lines are passed over, and a line over the
 * limit is reported once (where its end or the stream's end shows up) while its bytes are thrown away.
 */
export function createLineSplitter(maxBytes = MAX_LINE_BYTES): LineSplitter {
  let held: Uint8Array[] = [];
  let heldBytes = 0;

  const hold = (piece: Uint8Array): void => {
    heldBytes += piece.length;
    // One byte over the limit is kept for a CR that belongs to the line end.
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
