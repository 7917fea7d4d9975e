import { createHash, createPrivateKey, type KeyObject, sign, verify } from 'node:crypto';
import { type DerElement, elementAt, elementsIn } from './der.ts';
import { LARGEST_LEAF_RSA, rsaProblem } from './strength.ts';

type KeyReading = KeyObject | { readonly problem: string };

const RSA = '2a864886f70d010101';
const EC = '2a8648ce3d0201';
/** P-256, P-384 and P-521. */
const curves: ReadonlySet<string> = new Set(['2a8648ce3d030107', '2b81040022', '2b81040023']);
/** The scalar of P-521. */
const LONGEST_SCALAR_BYTES = 66;
const INTEGER = 0x02;

const unsupported = 'a private key is of an unsupported type, expected RSA, or EC P-256, P-384 or P-521';

/**
 * Parses a private key in PKCS#8, PKCS#1 or SEC 1, by the label of its PEM block. Its type and size are checked before OpenSSL parses it: for DSA, DH
 * and EC keys OpenSSL computes the public half while parsing, however long the numbers are. Throws if the key cannot be parsed.
 */
export function readPrivateKey(pem: string, label: string): KeyReading {
  const der = Buffer.from(pem.replaceAll(/-----.*?-----/g, ''), 'base64');
  const problem = problemOf(der, label);
  return problem === undefined ? createPrivateKey(pem) : { problem };
}

function problemOf(der: Buffer, label: string): string | undefined {
  const whole = elementAt(der, 0);
  if (label === 'RSA PRIVATE KEY') return rsaKeyProblem(der, whole);
  if (label !== 'PRIVATE KEY') return ecKeyProblem(der, whole);
  // PrivateKeyInfo ::= SEQUENCE { version, SEQUENCE { algorithm, parameters }, OCTET STRING with the key }
  const [, algorithm, octets] = elementsIn(der, whole);
  if (algorithm === undefined || octets === undefined) throw new RangeError('it is not PKCS#8');
  const [type, curve] = elementsIn(der, algorithm).map((each) => hexOf(der, each));
  const inner = elementAt(der, octets.begin, octets.end);
  if (type === RSA) return rsaKeyProblem(der, inner);
  return type === EC ? ecKeyProblem(der, inner, curve) : unsupported;
}

/** RSAPrivateKey ::= SEQUENCE { version, modulus, publicExponent, … }: all INTEGERs, none longer than the modulus. */
function rsaKeyProblem(der: Buffer, key: DerElement): string | undefined {
  const [version, modulus, exponent, ...others] = elementsIn(der, key);
  if (
    modulus === undefined ||
    exponent === undefined ||
    [modulus, exponent, ...others].some(({ tag }) => tag !== INTEGER)
  )
    return unsupported;
  if (version === undefined || hexOf(der, version) !== '00') return 'an RSA key has more than two primes';
  const isLonger = others.some(({ begin, end }) => end - begin > modulus.end - modulus.begin);
  return (
    rsaProblem(bitsOf(der, modulus), bitsOf(der, exponent), LARGEST_LEAF_RSA) ??
    (isLonger ? 'a number of an RSA key is longer than its modulus' : undefined)
  );
}

/**
 * ECPrivateKey ::= SEQUENCE { version, OCTET STRING with the scalar, [0] curve, [1] public key }. In PKCS#8 the curve may be only in the outer
 * structure.
 */
function ecKeyProblem(der: Buffer, key: DerElement, outer?: string): string | undefined {
  const [, scalar, ...tagged] = elementsIn(der, key);
  if (scalar === undefined || scalar.end - scalar.begin > LONGEST_SCALAR_BYTES) return unsupported;
  const inner = tagged
    .filter(({ tag }) => tag === 0xa0)
    .map((each) => hexOf(der, elementAt(der, each.begin, each.end)));
  const named = outer === undefined ? inner : [outer, ...inner];
  return named.length > 0 && named.every((curve) => curves.has(curve)) ? undefined : unsupported;
}

function hexOf(der: Buffer, { begin, end }: DerElement): string {
  return der.toString('hex', begin, end);
}

function bitsOf(der: Buffer, { begin, end }: DerElement): number {
  let at = begin;
  while (at < end - 1 && der[at] === 0) at += 1;
  return (end - at) * 8 - Math.clz32(der[at] ?? 0) + 24;
}

/** Number of keys whose result is cached. A signature with an RSA key costs milliseconds. */
const MOST_PROVED = 32_768;
const proved = new Map<string, boolean>();

/**
 * Whether the public half verifies a signature of the key. Computed once per key and cached by the key's digest. HAProxy would start with a key that
 * fails this, and OpenSSL would then compute several times as long for each hello.
 */
export function doesSign(key: KeyObject, publicKey: KeyObject): boolean {
  const digest = createHash('sha256')
    .update(key.export({ type: 'pkcs8', format: 'der' }))
    .digest('base64');
  const cached = proved.get(digest);
  if (cached !== undefined) return cached;
  const works = signsAndVerifies(key, publicKey);
  const [oldest] = proved.keys();
  if (proved.size >= MOST_PROVED && oldest !== undefined) proved.delete(oldest);
  proved.set(digest, works);
  return works;
}

const SIGNED = Buffer.from('hawser');

function signsAndVerifies(key: KeyObject, publicKey: KeyObject): boolean {
  try {
    return verify('sha256', SIGNED, publicKey, sign('sha256', SIGNED, key));
  } catch {
    return false;
  }
}
