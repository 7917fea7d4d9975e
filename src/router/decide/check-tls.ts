import { messageOf } from '../../engine/system/errors.ts';
import { oncePer } from '../../engine/system/once-per.ts';
import { type KeyPair, readKeyPair } from '../../haproxy/certificates/key-pair.ts';
import { certificatePem, readPem } from '../../haproxy/certificates/pem.ts';
import { weaknessOf } from '../../haproxy/certificates/strength.ts';
import type { RouteTls } from '../follow/route.ts';

/** A route's TLS section, parsed and encoded again. */
export interface CheckedTls {
  readonly certificate?: KeyPair;
  readonly destinationCaPem?: string;
}

type TlsCheck =
  | { readonly kind: 'checked'; readonly tls: CheckedTls }
  | { readonly kind: 'wrong'; readonly message: string };

/**
 * Checks certificate, key and CAs of a route, once for as long as it is in memory. A certificate that has expired, or is for another host, is
 * served all the same.
 */
export const checkTls = oncePer((tls: RouteTls): TlsCheck => {
  const check = checkedBefore(tls) ?? checkSafely(tls);
  remember(tls, check);
  return check;
});

/** The last ones by their certificates: the paths of an Ingress share a Secret, and come one after the other. */
const recent = new Map<string, { readonly tls: RouteTls; readonly check: TlsCheck }>();
const MOST_RECENT = 32;

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
  if (recent.size > MOST_RECENT && oldest !== undefined) recent.delete(oldest);
}

/** OpenSSL may throw anything: one route's certificate must not end the decision on all others. */
function checkSafely(tls: RouteTls): TlsCheck {
  try {
    return checkNow(tls);
  } catch (error) {
    return { kind: 'wrong', message: `certificate: ${messageOf(error)}` };
  }
}

function checkNow(tls: RouteTls): TlsCheck {
  const own = pairOf(tls);
  if (typeof own === 'string') return { kind: 'wrong', message: own };
  const destination = caOf('destinationCACertificate', tls.destinationCaCertificate);
  if (destination.kind === 'wrong') return destination;
  return {
    kind: 'checked',
    tls: {
      ...(own && { certificate: own }),
      ...(destination.pem !== '' && { destinationCaPem: destination.pem }),
    },
  };
}

/** The certificate with its key; undefined if the router's default one is meant; a text for what is wrong. */
function pairOf({ certificate, key, caCertificate }: RouteTls): KeyPair | string | undefined {
  const ca = caOf('caCertificate', caCertificate);
  if (ca.kind === 'wrong') return ca.message;
  const pair = readKeyPair(certificate, key);
  return typeof pair === 'object' ? { ...pair, pem: `${pair.pem}${ca.pem}` } : pair;
}

function caOf(
  field: string,
  text: string,
): { readonly kind: 'ca'; readonly pem: string } | { readonly kind: 'wrong'; readonly message: string } {
  if (text === '') return { kind: 'ca', pem: '' };
  const part = readPem(text);
  if (part.kind === 'bad') return { kind: 'wrong', message: `${field}: ${part.message}` };
  if (part.certificates.length === 0)
    return { kind: 'wrong', message: `${field}: expected a PEM certificate` };
  const weakness = part.certificates
    .map((certificate) => weaknessOf(certificate, 'ca'))
    .find((found) => found !== undefined);
  if (weakness !== undefined) return { kind: 'wrong', message: `${field}: ${weakness}` };
  return { kind: 'ca', pem: certificatePem(part.certificates) };
}
