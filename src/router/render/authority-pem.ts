import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';

const block = /-----BEGIN ([A-Z0-9 ]{1,40})-----([A-Za-z0-9+/=\s]*)-----END \1-----/g;
const begin = /-----BEGIN /g;

/** Why the content is not a PEM list of authorities' certificates, of any length; undefined if it is. HAProxy loads weak ones too. */
export function authorityProblem(content: Buffer): string | undefined {
  const blocks = blocksIn(content);
  if (typeof blocks === 'string') return blocks;
  const certificates = blocks.filter(({ label }) => /^(?:TRUSTED |X509 )?CERTIFICATE$/.test(label));
  if (certificates.length === 0) return 'it has no certificate, expected PEM';
  const plain = certificates.filter(({ label }) => label === 'CERTIFICATE');
  return plain.every(({ der }) => isCertificate(der)) ? undefined : 'a certificate cannot be parsed';
}

/** Why the content is not PEM with at least one CRL; undefined if it is. */
export function revocationProblem(content: Buffer): string | undefined {
  const blocks = blocksIn(content);
  if (typeof blocks === 'string') return blocks;
  const crls = blocks.filter(({ label }) => label === 'X509 CRL');
  if (crls.length === 0) return 'it has no X509 CRL, expected PEM';
  return crls.every(({ pem }) => isCrlPem(pem)) ? undefined : 'an X509 CRL cannot be parsed';
}

/** A file that is still being written ends within a block. */
function blocksIn(content: Buffer) {
  const text = content.toString('latin1');
  const blocks = [...text.matchAll(block)].map(([pem, label = '', base64 = '']) => ({
    ...{ pem, label },
    der: Buffer.from(base64, 'base64'),
  }));
  return blocks.length === [...text.matchAll(begin)].length ? blocks : 'a PEM block is damaged';
}

function isCertificate(der: Buffer): boolean {
  try {
    return new X509Certificate(der).raw.length === der.length;
  } catch {
    return false;
  }
}

/** Whether OpenSSL, and so HAProxy, can read a block of PEM as a CRL. */
function isCrlPem(pem: string): boolean {
  try {
    createSecureContext({ crl: pem });
    return true;
  } catch {
    return false;
  }
}
