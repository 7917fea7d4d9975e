import { createSecureContext } from 'node:tls';
import { messageOf } from '../../engine/system/errors.ts';
import { elementAt, elementsIn, firstIn } from './der.ts';

/** A list of revoked certificates (RFC 5280, 5), by one authority. */
export interface RevocationList {
  readonly pem: string;
  /** Milliseconds of the Unix epoch, as the next ones. */
  readonly issuedMs: number;
  /** From then on OpenSSL refuses every certificate of this authority. Undefined where the list names no time. */
  readonly validToMs: number | undefined;
}

type ListReading =
  | ({ readonly kind: 'list' } & RevocationList)
  | { readonly kind: 'wrong'; readonly message: string };

const pemBlock = /-----BEGIN X509 CRL-----([A-Za-z0-9+/=\s]*)-----END X509 CRL-----/;

/** One list, in DER or PEM. Whether its authority has signed it is checked by HAProxy, for each client. */
export function readRevocationList(bytes: Buffer): ListReading {
  const base64 = pemBlock.exec(bytes.toString('latin1'))?.[1];
  const der = base64 === undefined ? bytes : Buffer.from(base64, 'base64');
  const pem = listPem(der);
  if (!isListPem(pem))
    return { kind: 'wrong', message: 'it is no list of revoked certificates, expected an X.509 CRL' };
  try {
    return { kind: 'list', pem, ...timesOf(der) };
  } catch (error) {
    return { kind: 'wrong', message: `its times cannot be read: ${messageOf(error)}` };
  }
}

/** Whether OpenSSL, and so HAProxy, can read a block of PEM as a list of revoked certificates. */
export function isListPem(pem: string): boolean {
  try {
    createSecureContext({ crl: pem });
    return true;
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

/** CertificateList ::= SEQUENCE { tbsCertList SEQUENCE { version?, signature, issuer, thisUpdate, nextUpdate?, … }, … } */
function timesOf(der: Buffer): Pick<RevocationList, 'issuedMs' | 'validToMs'> {
  const [issuedMs, validToMs] = elementsIn(der, firstIn(der, elementAt(der, 0)))
    .filter(({ tag }) => tag === UTC_TIME || tag === GENERALIZED_TIME)
    .map(({ tag, begin, end }) => timeIn(der.toString('latin1', begin, end), tag === UTC_TIME));
  if (issuedMs === undefined) throw new RangeError('it names none');
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
  if (Number.isNaN(ms)) throw new RangeError(`expected a time in UTC, got "${text}"`);
  return ms;
}
