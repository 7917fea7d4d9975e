import { type KeyObject, verify, type X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { type DerElement, elementAt, elementsIn, firstIn } from './der.ts';

/** A certificate revocation list (CRL; RFC 5280, 5) of one authority. */
export interface Crl {
  readonly pem: string;
  /** Milliseconds of the Unix epoch, as the next one. */
  readonly issuedMs: number;
  /** From then on OpenSSL refuses every certificate of this authority. */
  readonly validToMs: number;
}

/** Who signs a CRL. */
export interface CrlIssuer {
  readonly key: KeyObject;
  /** Its name, as DER. */
  readonly subject: Buffer;
}

export type CrlReading =
  | { readonly kind: 'crl'; readonly crl: Crl }
  | { readonly kind: 'wrong'; readonly message: string };

const pemBlock = /-----BEGIN X509 CRL-----([A-Za-z0-9+/=\s]*)-----END X509 CRL-----/;

/** Throws a RangeError where OpenSSL read the certificate and it is no DER. */
export function crlIssuer({ raw, publicKey }: X509Certificate): CrlIssuer {
  // TBSCertificate ::= SEQUENCE { version [0]?, serialNumber, signature, issuer, validity, subject, … }
  const parts = elementsIn(raw, firstIn(raw, elementAt(raw, 0))).filter(({ tag }) => tag !== 0xa0);
  return { key: publicKey, subject: bytesOf(raw, parts[4]) };
}

/**
 * One whole CRL, in DER or PEM, that this issuer has signed. Refused is what OpenSSL would take for another CRL than it is, such as the changes
 * since an earlier one, or would not use: then clients would be admitted or refused without a word.
 */
export function readCrl(bytes: Buffer, issuer: CrlIssuer): CrlReading {
  const base64 = pemBlock.exec(bytes.toString('latin1'))?.[1];
  const der = base64 === undefined ? bytes : Buffer.from(base64, 'base64');
  try {
    const problem = problemOf(der, issuer);
    if (problem !== undefined) return { kind: 'wrong', message: problem };
    const pem = crlPem(der);
    return isCrlPem(pem) ? { kind: 'crl', crl: { pem, ...timesOf(der) } } : noCrl;
  } catch (error) {
    if (error instanceof RangeError) return noCrl;
    throw error;
  }
}

const noCrl = {
  kind: 'wrong',
  message: 'it is no X.509 CRL, expected one in DER or PEM',
} as const;

/** Whether OpenSSL, and so HAProxy, can read a block of PEM as a CRL. */
export function isCrlPem(pem: string): boolean {
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

const INTEGER = 0x02;
const BOOLEAN = 0x01;
const EXTENSIONS = 0xa0;
/** 2.5.29.27, deltaCRLIndicator: only what has changed since another CRL. */
const DELTA = '551d1b';
/** 2.5.29.28, issuingDistributionPoint. */
const SCOPE = '551d1c';
/** Of the latter: onlySomeReasons, indirectCRL and onlyContainsAttributeCerts. */
const LIMITS: ReadonlySet<number> = new Set([0x83, 0x84, 0x85]);

/**
 * CertificateList ::= SEQUENCE { tbsCertList, signatureAlgorithm SEQUENCE { algorithm, … }, signatureValue BIT STRING }
 * TBSCertList ::= SEQUENCE { version INTEGER?, signature, issuer, thisUpdate, nextUpdate?, revokedCertificates?, crlExtensions [0]? }
 */
function problemOf(der: Buffer, issuer: CrlIssuer): string | undefined {
  const whole = elementAt(der, 0);
  const [crl, algorithm, signature, more] = elementsIn(der, whole);
  if (crl === undefined || algorithm === undefined || signature === undefined) return noCrl.message;
  const parts = elementsIn(der, crl);
  const [inner, name] = parts[0]?.tag === INTEGER ? parts.slice(1) : parts;
  const isPlain = more === undefined && whole.end === der.length && der[signature.begin] === 0;
  // What the signature does not cover says the same as what it covers, or OpenSSL refuses the CRL.
  if (!isPlain || !bytesOf(der, inner).equals(bytesOf(der, algorithm))) return noCrl.message;
  const { begin, end } = firstIn(der, algorithm);
  const digest = digests.get(der.toString('hex', begin, end));
  if (digest === undefined)
    return 'its signature is of an unsupported algorithm, expected RSA or ECDSA with SHA-2, or Ed25519';
  if (!bytesOf(der, name).equals(issuer.subject)) return 'it is of another authority';
  // The first byte of a bit string counts the bits that are too many.
  if (!isSigned(digest, bytesOf(der, crl), issuer.key, der.subarray(signature.begin + 1, signature.end)))
    return 'its authority has not signed it';
  const extensions = parts
    .filter(({ tag }) => tag === EXTENSIONS)
    .flatMap((all) => elementsIn(der, firstIn(der, all)));
  return extensions.map((each) => extensionProblem(der, each)).find((problem) => problem !== undefined);
}

/** Extension ::= SEQUENCE { extnID, critical BOOLEAN?, extnValue OCTET STRING } */
function extensionProblem(der: Buffer, extension: DerElement): string | undefined {
  const parts = elementsIn(der, extension);
  const [id, value] = [parts[0], parts.at(-1)];
  if (id === undefined || value === undefined) return noCrl.message;
  const name = der.toString('hex', id.begin, id.end);
  if (name === DELTA) return 'it has only the changes since another one (a delta CRL)';
  if (name === SCOPE)
    return elementsIn(der, firstIn(der, value)).some(({ tag }) => LIMITS.has(tag))
      ? 'it is not for all certificates of its authority (issuingDistributionPoint)'
      : undefined;
  return parts.some(({ tag }) => tag === BOOLEAN)
    ? 'it has a critical extension that is not supported'
    : undefined;
}

function bytesOf(der: Buffer, element: DerElement | undefined): Buffer {
  if (element === undefined) throw new RangeError('a part is missing');
  return der.subarray(element.at, element.end);
}

/** A key of another kind than the signature throws. */
function isSigned(digest: string | null, signed: Buffer, key: KeyObject, signature: Buffer): boolean {
  try {
    return verify(digest, signed, key, signature);
  } catch {
    return false;
  }
}

function crlPem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN X509 CRL-----\n${lines.join('\n')}\n-----END X509 CRL-----\n`;
}

const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;

function timesOf(der: Buffer): Pick<Crl, 'issuedMs' | 'validToMs'> {
  const [issuedMs, validToMs] = elementsIn(der, firstIn(der, elementAt(der, 0)))
    .filter(({ tag }) => tag === UTC_TIME || tag === GENERALIZED_TIME)
    .map(({ tag, begin, end }) => timeIn(der.toString('latin1', begin, end), tag === UTC_TIME));
  if (issuedMs === undefined || validToMs === undefined) throw new RangeError('one of its times is missing');
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
