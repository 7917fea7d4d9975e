import { randomBytes } from 'node:crypto';

/** An RSA key whose factors are no primes, as PKCS#1: it parses, its halves match, and it signs nothing that anybody can verify. */
export function bogusRsaKey(bits: number): string {
  const [p, q] = [odd(bits / 2), odd(bits / 2)];
  const [n, e, d] = [p * q, 65_537n, odd(bits - 1)];
  const numbers = [0n, n, e, d, p, q, d % (p - 1n), d % (q - 1n), 1n];
  const body = Buffer.concat(numbers.map(integer));
  const lines =
    derOf(0x30, body)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return ['-----BEGIN RSA PRIVATE KEY-----', ...lines, '-----END RSA PRIVATE KEY-----', ''].join('\n');
}

/** With its two highest bits set, so that a product has all of its bits. */
function odd(bits: number): bigint {
  const random = BigInt(`0x${randomBytes(Math.ceil(bits / 8)).toString('hex')}`);
  return (random & ((1n << BigInt(bits)) - 1n)) | 1n | (3n << BigInt(bits - 2));
}

function integer(value: bigint): Buffer {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return derOf(0x02, (bytes[0] ?? 0) > 127 ? Buffer.concat([Buffer.of(0), bytes]) : bytes);
}

function derOf(tag: number, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  const used = length.subarray(length.findIndex((byte) => byte !== 0));
  const header =
    body.length < 128 ? Buffer.of(body.length) : Buffer.concat([Buffer.of(0x80 + used.length), used]);
  return Buffer.concat([Buffer.of(tag), header, body]);
}
