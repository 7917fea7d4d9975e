/** One element of DER (X.690): its tag, and the start and end of its value in the input. */
export interface DerElement {
  readonly tag: number;
  readonly begin: number;
  readonly end: number;
}

/** The element that starts at `at` and ends before `limit`. Throws a RangeError if the input is not DER, or the tag has more than one byte. */
export function elementAt(der: Buffer, at: number, limit = der.length): DerElement {
  const tag = der.readUInt8(at);
  const first = der.readUInt8(at + 1);
  const bytes = first < 0x80 ? 0 : first & 0x7f;
  if ((tag & 0x1f) === 0x1f || first === 0x80 || bytes > 4) throw new RangeError('it is not DER');
  const begin = at + 2 + bytes;
  const end = begin + (bytes === 0 ? first : der.readUIntBE(at + 2, bytes));
  if (end > limit) throw new RangeError('it is not DER, or its end is missing');
  return { tag, begin, end };
}

/** The elements in the value of another element. Throws a RangeError if the value is not DER. */
export function elementsIn(der: Buffer, { begin, end }: DerElement): readonly DerElement[] {
  const elements: DerElement[] = [];
  for (let at = begin; at < end; at = elements.at(-1)?.end ?? end) elements.push(elementAt(der, at, end));
  return elements;
}
