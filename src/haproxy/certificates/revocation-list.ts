import { type KeyObject, verify } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { type DerElement, elementAt, elementsIn, firstIn } from './der.ts';

/** A list of revoked certificates (RFC 5280, 5), by one authority. */
export interface RevocationList {
  readonly pem: string;
  /** Milliseconds of the Unix epoch, as the next one. */
  readonly issuedMs: number;
  /** From then on OpenSSL refuses every certificate of this authority. Undefined where the list names no time. */
  readonly validToMs: number | undefined;
}

export type ListReading =
  | { readonly kind: 'list'; readonly list: RevocationList }
  | { readonly kind: 'wrong'; readonly message: string };

const pemBlock = /-----BEGIN X509 CRL-----([A-Za-z0-9+/=\s]*)-----END X509 CRL-----/;

/** One list, in DER or PEM, that this key has signed. */
export function readRevocationList(bytes: Buffer, authority: KeyObject): ListReading {
  const base64 = pemBlock.exec(bytes.toString('latin1'))?.[1];
  const der = base64 === undefined ? bytes : Buffer.from(base64, 'base64');
  try {
    const [list, algorithm, signature] = elementsIn(der, elementAt(der, 0));
    if (list === undefined || algorithm === undefined || signature === undefined) return noList;
    const problem = signatureProblem(der, { list, algorithm, signature }, authority);
    if (problem !== undefined) return { kind: 'wrong', message: problem };
    const pem = listPem(der);
    return isListPem(pem) ? { kind: 'list', list: { pem, ...timesOf(der, list) } } : noList;
  } catch (error) {
    if (error instanceof RangeError) return noList;
    throw error;
  }
}

const noList = {
  kind: 'wrong',
  message: 'it is no list of revoked certificates, expected an X.509 CRL',
} as const;

/** Whether OpenSSL, and so HAProxy, can read a block of PEM as a list of revoked certificates. */
export function isListPem(pem: string): boolean {
  try {
    createSecureContext({ crl: pem });
    return true;
  } catch {
    return false;
  }
}

/** The digest of each algorithm, by its identifier: RSA, ECDSA, and Ed25519, which has its own. */
const digests: ReadonlyMap<string, string | null> = new Map([
  ['2a864886f70d01010e', 'sha224'],
  ['2a864886f70d01010b', 'sha256'],
  ['2a864886f70d01010c', 'sha384'],
  ['2a864886f70d01010d', 'sha512'],
  ['2a8648ce3d040301', 'sha224'],
  ['2a8648ce3d040302', 'sha256'],
  ['2a8648ce3d040303', 'sha384'],
  ['2a8648ce3d040304', 'sha512'],
  ['2b6570', null],
]);

/** CertificateList ::= SEQUENCE { tbsCertList, signatureAlgorithm SEQUENCE { algorithm, … }, signatureValue BIT STRING } */
function signatureProblem(
  der: Buffer,
  parts: Readonly<Record<'list' | 'algorithm' | 'signature', DerElement>>,
  authority: KeyObject,
): string | undefined {
  const { begin, end } = firstIn(der, parts.algorithm);
  const digest = digests.get(der.toString('hex', begin, end));
  if (digest === undefined)
    return 'its signature is of an unsupported algorithm, expected RSA or ECDSA with SHA-2, or Ed25519';
  const signed = der.subarray(parts.list.at, parts.list.end);
  // The first byte of a bit string counts the bits that are too many.
  const signature = der.subarray(parts.signature.begin + 1, parts.signature.end);
  return isSigned(digest, signed, authority, signature) ? undefined : 'its authority has not signed it';
}

/** A key of another kind than the signature throws. */
function isSigned(digest: string | null, signed: Buffer, key: KeyObject, signature: Buffer): boolean {
  try {
    return verify(digest, signed, key, signature);
  } catch {
    return false;
  }
}

function listPem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN X509 CRL-----\n${lines.join('\n')}\n-----END X509 CRL-----\n`;
}

const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;

/** TBSCertList ::= SEQUENCE { version?, signature, issuer, thisUpdate, nextUpdate?, … } */
function timesOf(der: Buffer, list: DerElement): Pick<RevocationList, 'issuedMs' | 'validToMs'> {
  const [issuedMs, validToMs] = elementsIn(der, list)
    .filter(({ tag }) => tag === UTC_TIME || tag === GENERALIZED_TIME)
    .map(({ tag, begin, end }) => timeIn(der.toString('latin1', begin, end), tag === UTC_TIME));
  if (issuedMs === undefined) throw new RangeError('it has no time');
  return { issuedMs, validToMs };
}

/** `260102030405Z`, with years from 1950 to 2049, or `20260102030405Z` (RFC 5280, 4.1.2.5). */
function timeIn(text: string, isShort: boolean): number {
  const century = Number(text.slice(0, 2)) < 50 ? '20' : '19';
  const iso = `${isShort ? century : ''}${text}`.replace(
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/,
    '$1-$2-$3T$4:$5:$6Z',
  );
  const ms = Date.parse(iso);
  if (Number.isNaN(ms)) throw new RangeError('one of its times is none');
  return ms;
}
