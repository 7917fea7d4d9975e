import { certificatePem, keyPem, readPem } from './pem.ts';
import { doesSign } from './private-key.ts';
import { weaknessOf } from './strength.ts';

/** A certificate with its key, parsed and encoded again for HAProxy. */
export interface KeyPair {
  /** The key, the certificate and its chain. */
  readonly pem: string;
  /** Digest of the certificate itself: equal digests mean the same certificate. */
  readonly fingerprint: string;
  readonly validToMs: number;
}

/**
 * Reads a certificate and its key, which may be in the certificate's text. Returns a string that describes the problem, or undefined if the
 * certificate's text is empty. An expired certificate, or one for another host, is valid here.
 */
export function readKeyPair(certificate: string, key: string): KeyPair | string | undefined {
  const keyPart = readPem(key);
  if (keyPart.kind === 'bad') return `key: ${keyPart.message}`;
  if (certificate === '') return undefined;
  const part = readPem(certificate);
  if (part.kind === 'bad') return `certificate: ${part.message}`;
  const [leaf] = part.certificates;
  if (leaf === undefined) return 'certificate: expected a PEM certificate';
  const weakness = part.certificates
    .map((certificate) => weaknessOf(certificate, certificate === leaf ? 'leaf' : 'ca'))
    .find((found) => found !== undefined);
  if (weakness !== undefined) return `certificate: ${weakness}`;
  const [privateKey] = [...part.keys, ...keyPart.keys];
  if (privateKey === undefined) return 'key: expected a PEM private key';
  if (!leaf.checkPrivateKey(privateKey)) return 'key: it is not the key of the certificate';
  if (!doesSign(privateKey, leaf.publicKey)) return 'key: it does not sign, expected a key that works';
  return {
    pem: `${keyPem(privateKey)}${certificatePem(part.certificates)}`,
    fingerprint: leaf.fingerprint256,
    validToMs: Date.parse(leaf.validTo),
  };
}
