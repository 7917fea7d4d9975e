import type { KeyObject, X509Certificate } from 'node:crypto';
import { elementAt, elementsIn } from './der.ts';

/** Those whose digest OpenSSL knows and finds strong enough. PSS names its digest in its parameters. */
const signatures =
  /^(?:sha(?:224|256|384|512)WithRSAEncryption|ecdsa-with-SHA(?:224|256|384|512)|(?:RSA-|ecdsa_with_)SHA3-(?:224|256|384|512)|ED25519)$/;
/** RSASSA-PSS and then, as its parameter [0], SHA-256, SHA-384, SHA-512 or SHA-224 (RFC 4055): without it the digest is SHA-1. */
const strongPss = /^06092a864886f70d01010a30..a0..30..0609608648016503040[2](?:01|02|03|04)/;

/**
 * Why OpenSSL, at the security level of Debian and of others, would refuse to load this certificate; then HAProxy would
 * refuse the whole configuration. A root may be signed with anything: nobody checks a self-signed signature. It loads one whose dates
 * cannot be read, but nobody can say when that one ends, and HAProxy's Runtime API shows nothing of it.
 */
export function weaknessOf(certificate: X509Certificate): string | undefined {
  if (!hasDates(certificate)) return 'the dates of a certificate cannot be read';
  if (!hasStrongSignature(certificate) && !isSelfSigned(certificate))
    return `a certificate is signed with ${certificate.signatureAlgorithm ?? 'an unknown algorithm'}, which is not supported`;
  const key = publicKeyOf(certificate);
  return key === undefined ? 'its public key cannot be read' : keyWeakness(key);
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

/** OpenSSL parses it only when it is asked for. */
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

const smallestRsa = 2_048;
const curves: ReadonlySet<string> = new Set([
  'prime256v1',
  'secp384r1',
  'secp521r1',
  'secp256k1',
  'secp224r1',
]);

function keyWeakness({
  asymmetricKeyType: type,
  asymmetricKeyDetails: details,
}: KeyObject): string | undefined {
  const bits = details?.modulusLength ?? 0;
  if (type === 'rsa' && bits < smallestRsa)
    return `an RSA key of ${bits} bits is too short, expected ${smallestRsa}`;
  if (type === 'ec' && !curves.has(details?.namedCurve ?? '')) return 'a key is of an unsupported curve';
  return type === 'rsa' || type === 'ec' || type === 'ed25519' ? undefined : `a key is of type ${type}`;
}
