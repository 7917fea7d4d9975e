import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** Of ASN.1, what a certificate needs (X.690). */
const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OID = 0x06;
const UTF8 = 0x0c;
const TIME = 0x18;

const DAYS = 365;

/**
 * A key and a certificate for hosts that have no other: for clients that do not verify. Different each time. Node makes
 * keys but no certificates, and the image has no program for it.
 */
export function selfSigned(commonName: string, now: Date): string {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  // ecdsa-with-SHA256, commonName
  const algorithm = element(SEQUENCE, element(OID, Buffer.from('2a8648ce3d040302', 'hex')));
  const attribute = element(
    SEQUENCE,
    element(OID, Buffer.from('550403', 'hex')),
    element(UTF8, Buffer.from(commonName)),
  );
  const name = element(SEQUENCE, element(SET, attribute));
  const end = new Date(now.getTime() + DAYS * 86_400_000);
  const body = element(
    SEQUENCE,
    // Version 1, as there are no extensions. A serial number is positive.
    element(INTEGER, Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    name,
    element(SEQUENCE, time(now), time(end)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = sign('sha256', body, privateKey);
  const certificate = element(
    SEQUENCE,
    body,
    algorithm,
    element(BIT_STRING, Buffer.concat([Buffer.from([0]), signature])),
  );
  return `${privateKey.export({ type: 'pkcs8', format: 'pem' })}${pem(certificate)}`;
}

function element(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content]);
}

function lengthOf(length: number): readonly number[] {
  if (length < 0x80) return [length];
  const bytes = length < 0x100 ? [length] : [length >> 8, length & 0xff];
  return [0x80 | bytes.length, ...bytes];
}

function time(date: Date): Buffer {
  return element(TIME, Buffer.from(`${date.toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}Z`));
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').replaceAll(/.{64}(?=.)/g, '$&\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}
