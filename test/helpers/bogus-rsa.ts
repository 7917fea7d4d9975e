import { randomBytes } from 'node:crypto';
import { integer, pemOf, sequence } from './der.ts';

/** An RSA key whose factors are not prime, as PKCS#1: it parses, its halves match, and its signatures cannot be verified. */
export function bogusRsaKey(bits: number): string {
  const p = odd(bits / 2);
  const q = odd(bits / 2);
  const n = p * q;
  const e = 65_537n;
  const d = odd(bits - 1);
  const numbers = [0n, n, e, d, p, q, d % (p - 1n), d % (q - 1n), 1n];
  return pemOf('RSA PRIVATE KEY', sequence(...numbers.map(integer)));
}

/** With its two highest bits set, so that a product has its full length. */
function odd(bits: number): bigint {
  const random = BigInt(`0x${randomBytes(Math.ceil(bits / 8)).toString('hex')}`);
  return (random & ((1n << BigInt(bits)) - 1n)) | 1n | (3n << BigInt(bits - 2));
}
