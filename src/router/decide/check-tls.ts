import { messageOf } from '../../engine/system/errors.ts';
import { oncePer } from '../../engine/system/once-per.ts';
import { type KeyPair, readKeyPair } from '../../haproxy/certificates/key-pair.ts';
import { certificatePem, readPem } from '../../haproxy/certificates/pem.ts';
import { weaknessOf } from '../../haproxy/certificates/strength.ts';
import type { RouteTls } from '../follow/route.ts';

/** The TLS section of a route, parsed and encoded again. */
export interface CheckedTls {
  readonly certificate?: KeyPair;
  readonly destinationCaPem?: string;
}

type TlsCheck =
  | { readonly kind: 'checked'; readonly tls: CheckedTls }
  | { readonly kind: 'invalid'; readonly message: string };

/**
 * Validates a route's certificate, key and CAs, once per object. A certificate that has expired or is for another host is valid here and gets
 * served.
 */
export const checkTls = oncePer((tls: RouteTls): TlsCheck => {
  const check = checkedBefore(tls) ?? checkSafely(tls);
  remember(tls, check);
  return check;
});

/** The most recent results by certificate. The paths of an Ingress share a Secret and are checked one after another. */
const recent = new Map<string, { readonly tls: RouteTls; readonly check: TlsCheck }>();
const MAX_RECENT = 32;

function checkedBefore({
  certificate,
  key,
  caCertificate,
  destinationCaCertificate,
}: RouteTls): TlsCheck | undefined {
  const { tls, check } = recent.get(certificate) ?? {};
  const isSame =
    tls?.key === key &&
    tls.caCertificate === caCertificate &&
    tls.destinationCaCertificate === destinationCaCertificate;
  return isSame ? check : undefined;
}

function remember(tls: RouteTls, check: TlsCheck): void {
  recent.delete(tls.certificate);
  recent.set(tls.certificate, { tls, check });
  const [oldest] = recent.keys();
  if (recent.size > MAX_RECENT && oldest !== undefined) recent.delete(oldest);
}

/** OpenSSL may throw anything. One route's certificate must not abort the decision on all others. */
function checkSafely(tls: RouteTls): TlsCheck {
  try {
    return checkNow(tls);
  } catch (error) {
    return { kind: 'invalid', message: `certificate: ${messageOf(error)}` };
  }
}

function checkNow(tls: RouteTls): TlsCheck {
  const own = pairOf(tls);
  if (typeof own === 'string') return { kind: 'invalid', message: own };
  const destination = caOf('destinationCACertificate', tls.destinationCaCertificate);
  if (destination.kind === 'invalid') return destination;
  return {
    kind: 'checked',
    tls: {
      ...(own && { certificate: own }),
      ...(destination.pem !== '' && { destinationCaPem: destination.pem }),
    },
  };
}

/** The certificate with its key; undefined if the route relies on the default certificate; a string describes a problem. */
function pairOf({ certificate, key, caCertificate }: RouteTls): KeyPair | string | undefined {
  const ca = caOf('caCertificate', caCertificate);
  if (ca.kind === 'invalid') return ca.message;
  const pair = readKeyPair(certificate, key);
  return typeof pair === 'object' ? { ...pair, pem: `${pair.pem}${ca.pem}` } : pair;
}

function caOf(
  field: string,
  text: string,
): { readonly kind: 'ca'; readonly pem: string } | { readonly kind: 'invalid'; readonly message: string } {
  if (text === '') return { kind: 'ca', pem: '' };
  const part = readPem(text);
  if (part.kind === 'bad') return { kind: 'invalid', message: `${field}: ${part.message}` };
  if (part.certificates.length === 0)
    return { kind: 'invalid', message: `${field}: expected a PEM certificate` };
  const weakness = part.certificates
    .map((certificate) => weaknessOf(certificate, 'ca'))
    .find((found) => found !== undefined);
  if (weakness !== undefined) return { kind: 'invalid', message: `${field}: ${weakness}` };
  return { kind: 'ca', pem: certificatePem(part.certificates) };
}
