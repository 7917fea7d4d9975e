import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { messageOf } from '../system/errors.ts';
import { readRegularFile } from '../system/file/read-regular-file.ts';
import type { PeerFiles } from './peer.ts';

/** What a node shows its peers, and what it believes of theirs. */
export interface PeerCredentials {
  /** PEM, as it was read. */
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  /** This node's own certificate: the first of its file. */
  readonly leaf: X509Certificate;
}

type CredentialsReading =
  | { readonly kind: 'good'; readonly credentials: PeerCredentials }
  | { readonly kind: 'unusable'; readonly message: string };

/** Fifty times what a chain takes. */
const MAX_CREDENTIAL_BYTES = 256 * 1024;
/** From a node's certificate to the authority. */
const LONGEST_CHAIN = 5;

/**
 * Reads the three files. They must be whole and belong together, key to certificate and certificate to authority, and
 * the certificate must be valid now. Never rejects; the message names the file that is at fault.
 */
export async function readCredentials(files: PeerFiles, now: Date): Promise<CredentialsReading> {
  try {
    const [ca, cert, key] = [await readPem(files.ca), await readPem(files.cert), await readPem(files.key)];
    const authorities = authoritiesIn(files.ca, ca);
    const chain = certificatesIn(files.cert, cert);
    checkTime(files.cert, chain[0], now);
    checkKey(files, key, chain[0]);
    checkIssuer(files, chain, authorities);
    checkForTls({ ca, cert, key });
    return { kind: 'good', credentials: { ca, cert, key, leaf: chain[0] } };
  } catch (error) {
    return { kind: 'unusable', message: messageOf(error) };
  }
}

function unusable(path: string, found: string, expected: string): Error {
  return new Error(`Cannot use "${path}": ${found}, expected ${expected}`);
}

async function readPem(path: string): Promise<string> {
  try {
    return (await readRegularFile(path, { MAX_CREDENTIAL_BYTES })).bytes.toString('utf8');
  } catch (error) {
    throw unusable(path, messageOf(error), 'a PEM file that this process can read');
  }
}

type Chain = readonly [X509Certificate, ...X509Certificate[]];

function certificatesIn(path: string, pem: string): Chain {
  const [first, ...more] = blocksOf(path, pem).map((block) => {
    try {
      return new X509Certificate(block);
    } catch (error) {
      throw unusable(path, `it holds a certificate that cannot be read (${messageOf(error)})`, 'PEM');
    }
  });
  if (first === undefined) throw unusable(path, 'there is no certificate in it', 'PEM');
  return [first, ...more];
}

/** A file that is being written ends in the middle of a block. */
function blocksOf(path: string, pem: string): readonly string[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  const begun = pem.match(/-----BEGIN /g) ?? [];
  if (begun.length !== blocks.length)
    throw unusable(path, 'it is only half written, or holds something else', 'whole certificates');
  return blocks;
}

function authoritiesIn(path: string, pem: string): Chain {
  const found = certificatesIn(path, pem);
  if (found.every(({ ca }) => ca)) return found;
  throw unusable(path, 'a certificate in it is not a CA', 'CA:TRUE in each');
}

function checkTime(path: string, { validFromDate, validToDate }: X509Certificate, now: Date): void {
  if (now > validToDate)
    throw unusable(path, `it expired at ${validToDate.toISOString()}`, 'a certificate that is valid now');
  if (now < validFromDate)
    throw unusable(
      path,
      `it is not valid before ${validFromDate.toISOString()}`,
      `that to be past (now ${now.toISOString()})`,
    );
}

function checkKey(files: PeerFiles, pem: string, leaf: X509Certificate): void {
  const matches = privateKeyMatches(files.key, pem, leaf);
  if (!matches) throw unusable(files.key, `it is not the key of "${files.cert}"`, 'that');
}

function privateKeyMatches(path: string, pem: string, leaf: X509Certificate): boolean {
  try {
    return leaf.checkPrivateKey(createPrivateKey(pem));
  } catch (error) {
    throw unusable(path, `it holds no key (${messageOf(error)})`, 'an unencrypted private key in PEM');
  }
}

function checkIssuer(files: PeerFiles, [leaf, ...between]: Chain, authorities: Chain): void {
  let at = leaf;
  for (let steps = 0; steps < LONGEST_CHAIN; steps += 1) {
    const subject = at;
    if (authorities.some((each) => isIssuedBy(subject, each))) return;
    const next = between.find((each) => isIssuedBy(subject, each));
    if (next === undefined) break;
    at = next;
  }
  throw unusable(files.cert, `the CA in "${files.ca}" did not issue it`, 'one of that CA');
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

/** OpenSSL has rules of its own, such as for keys that are too short. */
function checkForTls(pem: { readonly ca: string; readonly cert: string; readonly key: string }): void {
  try {
    createSecureContext(pem);
  } catch (error) {
    throw new Error(`Cannot use these certificates: ${messageOf(error)}, expected what TLS accepts`, {
      cause: error,
    });
  }
}
