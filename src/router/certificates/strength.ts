import type { KeyObject, X509Certificate } from 'node:crypto';

/**
 * Why OpenSSL, at the security level of Debian and of others, would refuse to load this certificate; then HAProxy would
 * refuse the whole configuration. A root may be signed with anything: nobody checks a self-signed signature.
 */
export function weaknessOf(certificate: X509Certificate): string | undefined {
  const algorithm = certificate.signatureAlgorithm ?? '';
  if (/sha1|md5|md4|md2/i.test(algorithm) && !isSelfSigned(certificate))
    return `a certificate is signed with ${algorithm}, which is no longer supported`;
  return keyWeakness(certificate.publicKey);
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
