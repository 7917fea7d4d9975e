import { type KeyObject, X509Certificate } from 'node:crypto';
import { readPrivateKey } from './private-key.ts';

/** The content of a tenant's PEM. Text between the blocks is dropped. */
interface PemContent {
  readonly certificates: readonly X509Certificate[];
  readonly keys: readonly KeyObject[];
}

type PemReading =
  | ({ readonly kind: 'read' } & PemContent)
  | { readonly kind: 'bad'; readonly message: string };

const block = /-----BEGIN ([A-Z0-9 ]{1,40})-----([A-Za-z0-9+/=\s]*)-----END \1-----/g;
const begin = /-----BEGIN /g;

/** In characters: enough for a chain of ten RSA certificates and its key. Longer ones are not parsed. */
export const MAX_PEM_LENGTH = 64 * 1024;
/** More than any chain has, and few enough to be checked at once. */
const MOST_BLOCKS = 32;

/**
 * Parses and re-encodes every block, so that HAProxy's OpenSSL never reads a tenant's bytes. An encrypted key, a block of an unknown type, or an
 * unparsable block makes the whole text invalid.
 */
export function readPem(text: string): PemReading {
  if (text.length > MAX_PEM_LENGTH)
    return { kind: 'bad', message: `a PEM of more than ${MAX_PEM_LENGTH} characters` };
  const blocks = [...text.matchAll(block)];
  if (blocks.length !== [...text.matchAll(begin)].length)
    return { kind: 'bad', message: 'a PEM block is damaged or encrypted' };
  if (blocks.length > MOST_BLOCKS) return { kind: 'bad', message: `more than ${MOST_BLOCKS} PEM blocks` };
  const certificates: X509Certificate[] = [];
  const keys: KeyObject[] = [];
  for (const [pem, label = ''] of blocks) {
    try {
      if (label === 'CERTIFICATE') certificates.push(new X509Certificate(pem));
      else if (/^(?:RSA |EC |ECDSA )?PRIVATE KEY$/.test(label)) {
        const key = readPrivateKey(pem, label);
        if ('problem' in key) return { kind: 'bad', message: key.problem };
        keys.push(key);
      } else if (label !== 'EC PARAMETERS') return { kind: 'bad', message: `unknown PEM block ${label}` };
    } catch {
      return { kind: 'bad', message: `a PEM block ${label} cannot be parsed` };
    }
  }
  return { kind: 'read', certificates, keys };
}

export function certificatePem(certificates: readonly X509Certificate[]): string {
  return certificates.map((certificate) => certificate.toString()).join('');
}

export function keyPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}
