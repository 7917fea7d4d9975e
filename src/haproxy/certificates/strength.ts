import type { KeyObject, X509Certificate } from 'node:crypto';
import { elementAt, elementsIn } from './der.ts';

/** Signature algorithms with a digest that OpenSSL supports and considers strong enough. PSS names its digest in its parameters. */
const signatures =
  /^(?:sha(?:224|256|384|512)WithRSAEncryption|ecdsa-with-SHA(?:224|256|384|512)|(?:RSA-|ecdsa_with_)SHA3-(?:224|256|384|512)|ED25519)$/;
/** RSASSA-PSS followed by SHA-256, SHA-384, SHA-512 or SHA-224 as parameter [0] (RFC 4055). Without that parameter the digest is SHA-1. */
const strongPss = /^06092a864886f70d01010a30..a0..30..0609608648016503040[2](?:01|02|03|04)/;

/** `leaf`: HAProxy signs with its key. `ca`: part of a chain, or a CA that verifies pods. */
type Role = 'leaf' | 'ca';

/**
 * Why a certificate is not used. OpenSSL, at the security level of Debian and others, would refuse to load it, and then HAProxy would refuse the
 * whole configuration. Or its key costs HAProxy too much, or HAProxy's Runtime API does not show its type, as with Ed25519. A root may have any
 * signature: self-signatures are not verified. OpenSSL loads a certificate with unreadable dates, but its expiry is then unknown.
 */
export function weaknessOf(certificate: X509Certificate, role: Role): string | undefined {
  if (!hasDates(certificate)) return 'the dates of a certificate cannot be read';
  if (!hasStrongSignature(certificate) && !isSelfSigned(certificate))
    return `a certificate is signed with ${certificate.signatureAlgorithm ?? 'an unknown algorithm'}, which is not supported`;
  const key = publicKeyOf(certificate);
  return key === undefined
    ? 'its public key cannot be read'
    : keyWeakness(key, role === 'leaf' ? LARGEST_LEAF_RSA : LARGEST_CA_RSA);
}

function hasDates({ validFrom, validTo }: X509Certificate): boolean {
  return [validFrom, validTo].every((date) => !Number.isNaN(Date.parse(date)));
}

function hasStrongSignature({ signatureAlgorithm = '', raw }: X509Certificate): boolean {
  if (signatureAlgorithm !== 'rsassaPss') return signatures.test(signatureAlgorithm);
  // Certificate ::= SEQUENCE { tbsCertificate, signatureAlgorithm, signatureValue }
  const [, algorithm] = elementsIn(raw, elementAt(raw, 0));
  return algorithm !== undefined && strongPss.test(raw.toString('hex', algorithm.begin, algorithm.end));
}

/** OpenSSL parses the key only on access, which may throw. */
function publicKeyOf(certificate: X509Certificate): KeyObject | undefined {
  try {
    return certificate.publicKey;
  } catch {
    return undefined;
  }
}

function isSelfSigned(certificate: X509Certificate): boolean {
  return certificate.subject === certificate.issuer && certificate.checkIssued(certificate);
}

/** Each TLS hello costs HAProxy one signature with this key: milliseconds with 4,096 bits, seconds with 16,384 bits. */
export const LARGEST_LEAF_RSA = 4_096;
/** HAProxy only verifies with a CA's key and never signs. With 8,192 bits that takes less than a millisecond. */
const LARGEST_CA_RSA = 8_192;
const SMALLEST_RSA = 2_048;
/** OpenSSL's limit for long keys: verifying costs one multiplication per bit. */
const LONGEST_EXPONENT_BITS = 64;

/** Why an RSA key of this size is not used; undefined if it is. */
export function rsaProblem(bits: number, exponentBits: number, most: number): string | undefined {
  if (bits < SMALLEST_RSA)
    return `an RSA key of ${bits} bits is too short, expected ${SMALLEST_RSA} to ${most}`;
  if (bits > most) return `an RSA key of ${bits} bits is too long, expected ${SMALLEST_RSA} to ${most}`;
  return exponentBits > LONGEST_EXPONENT_BITS
    ? `an RSA key has an exponent of ${exponentBits} bits, expected at most ${LONGEST_EXPONENT_BITS}`
    : undefined;
}

const curves: ReadonlySet<string> = new Set(['prime256v1', 'secp384r1', 'secp521r1']);

function keyWeakness(
  { asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject,
  largestRsa: number,
): string | undefined {
  if (type === 'rsa')
    return rsaProblem(
      details?.modulusLength ?? 0,
      details?.publicExponent?.toString(2).length ?? 0,
      largestRsa,
    );
  if (type !== 'ec') return `a key is of type ${type}, expected RSA or EC`;
  return curves.has(details?.namedCurve ?? '')
    ? undefined
    : 'a key is of an unsupported curve, expected P-256, P-384 or P-521';
}
