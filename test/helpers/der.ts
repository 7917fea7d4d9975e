/** Just enough of DER, the encoding of X.509 and PKCS#1, for what tests need. */

export function derOf(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  const used = length.subarray(length.findIndex((byte) => byte !== 0));
  const header =
    body.length < 128 ? Buffer.of(body.length) : Buffer.concat([Buffer.of(0x80 + used.length), used]);
  return Buffer.concat([Buffer.of(tag), header, body]);
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => derOf(0x30, ...parts);

/** For values that are not negative. */
export function integer(value: bigint): Buffer {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return derOf(0x02, (bytes[0] ?? 0) > 127 ? Buffer.concat([Buffer.of(0), bytes]) : bytes);
}

export const bitString = (bytes: Uint8Array, unusedBits = 0): Buffer =>
  derOf(0x03, Buffer.of(unusedBits), bytes);

/** `2.5.29.17`. */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return derOf(0x06, Buffer.from([first * 40 + second, ...rest].flatMap(base128)));
}

function base128(value: number): readonly number[] {
  const digits = [value & 0x7f];
  for (let left = Math.floor(value / 128); left > 0; left = Math.floor(left / 128))
    digits.unshift((left & 0x7f) | 0x80);
  return digits;
}

/** X.509 wants two-digit years before 2050, and four digits from then on. */
export function time(date: Date): Buffer {
  const digits = `${date.toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`;
  return date.getUTCFullYear() < 2050
    ? derOf(0x17, Buffer.from(digits.slice(2)))
    : derOf(0x18, Buffer.from(digits));
}

export function pemOf(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
