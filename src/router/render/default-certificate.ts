import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, messageOf } from '../../engine/system/errors.ts';
import { readRegularFile } from '../../engine/system/file/read-regular-file.ts';
import { readKeyPair } from '../../haproxy/certificates/key-pair.ts';
import type { RouterSettings } from '../settings/router-settings.ts';

const MAX_CERTIFICATE_BYTES = 1024 * 1024;

type Given = Pick<RouterSettings, 'defaultCertificate' | 'defaultCertificatePath' | 'defaultCertificateDir'>;

/**
 * Returns the key and certificate, as PEM, for hosts without their own. The sources in order of precedence: the text, the folder with a key pair,
 * and the file in the settings; the certificate in the file `generatedPath`, unless it has expired; a new self-signed one. A configured certificate is
 * parsed like a route's: key, certificate and chain in any order, without blocks that HAProxy would refuse. Throws a ConfigError if it is invalid.
 */
export async function defaultCertificate(given: Given, generatedPath: string, now: Date): Promise<string> {
  const { defaultCertificate: text, defaultCertificateDir: folder, defaultCertificatePath: path } = given;
  if (text !== undefined) return usable('--default-certificate', text);
  if (folder !== undefined && !lacksKeyPair(folder)) {
    const [key, certificate] = await Promise.all([
      read(join(folder, 'tls.key')),
      read(join(folder, 'tls.crt')),
    ]);
    return usable(`--default-certificate-dir "${folder}"`, certificate, key);
  }
  if (path !== undefined) return usable(`--default-certificate-path "${path}"`, await read(path));
  const before = keyPairIn(await read(generatedPath).catch(() => ''));
  return typeof before === 'object' && before.validToMs > now.getTime()
    ? before.pem
    : selfSigned('router default certificate', now);
}

/** Whether the folder exists but has no key pair, as with an optional Secret volume whose Secret does not exist yet. */
export function lacksKeyPair(folder: string): boolean {
  return existsSync(folder) && !['tls.key', 'tls.crt'].some((name) => existsSync(join(folder, name)));
}

function usable(what: string, certificate: string, key = ''): string {
  const pair = keyPairIn(certificate, key);
  if (typeof pair === 'object') return pair.pem;
  throw new ConfigError([`Cannot use ${what}: ${pair ?? 'certificate: expected a PEM certificate'}`]);
}

/** Strips DH parameters, which old guides add to certificate files. HAProxy uses `tune.ssl.default-dh-param` instead. */
function keyPairIn(certificate: string, key = ''): ReturnType<typeof readKeyPair> {
  return readKeyPair(certificate.replaceAll(DH_PARAMETERS, ''), key);
}

const DH_PARAMETERS = /-----BEGIN DH PARAMETERS-----[^-]*-----END DH PARAMETERS-----/g;

async function read(path: string): Promise<string> {
  try {
    return (await readRegularFile(path, { MAX_CERTIFICATE_BYTES })).bytes.toString('utf8');
  } catch (error) {
    throw new ConfigError([`Cannot use the default certificate: ${messageOf(error)}`], { cause: error });
  }
}

/** The ASN.1 tags that a certificate needs (X.690). */
const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OID = 0x06;
const UTF8 = 0x0c;
const TIME = 0x18;

const DAYS = 365;

/**
 * Returns a new key with a self-signed certificate, for clients that do not verify it. Node can create keys but no certificates, and the image has
 * no program for it.
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
    // Version 1, since there are no extensions. The serial number must be positive.
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
