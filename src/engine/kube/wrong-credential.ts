import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';

/** PEM. */
interface TlsCredentials {
  readonly ca?: Buffer | undefined;
  readonly cert?: Buffer | undefined;
  readonly key?: Buffer | undefined;
}

interface WrongCredential {
  readonly part: keyof TlsCredentials;
  readonly what: string;
}

/**
 * The first credential that TLS cannot use. Node's own errors do not name it, and Node ignores a CA file without a certificate: it would reject
 * every server instead.
 */
export function wrongCredential({ ca, cert, key }: TlsCredentials): WrongCredential | undefined {
  if (ca && !certificateOf(ca)) return { part: 'ca', what: 'it has no certificate, expected PEM' };
  const certificate = cert && certificateOf(cert);
  if (cert && !certificate) return { part: 'cert', what: 'it has no certificate, expected PEM' };
  const privateKey = key && keyOf(key);
  if (key && !privateKey)
    return { part: 'key', what: 'it has no private key, expected PEM without a passphrase' };
  if (certificate && privateKey && !certificate.checkPrivateKey(privateKey))
    return { part: 'key', what: "it is another certificate's key" };
  return undefined;
}

function certificateOf(pem: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function keyOf(pem: Buffer): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
