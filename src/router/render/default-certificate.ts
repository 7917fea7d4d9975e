import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, messageOf } from '../../engine/system/errors.ts';
import { readRegularFile } from '../../engine/system/file/read-regular-file.ts';
import { readKeyPair } from '../../haproxy/certificates/key-pair.ts';
import type { RouterSettings } from '../settings/router-settings.ts';
import { selfSigned } from './self-signed.ts';

const MAX_CERTIFICATE_BYTES = 1024 * 1024;

type Given = Pick<RouterSettings, 'defaultCertificate' | 'defaultCertificatePath' | 'defaultCertificateDir'>;

/**
 * Key and certificate for hosts without their own, as PEM: given as text, as a folder with the pair in it or as a file, in this order; else what
 * `madeBefore` holds, until it expires; else a new self-signed one. It is read like a route's: the key, the certificate and its chain in any
 * order, and nothing that HAProxy would refuse. Throws a ConfigError if the given one is invalid.
 */
export async function defaultCertificate(given: Given, madeBefore: string, now: Date): Promise<string> {
  const { defaultCertificate: text, defaultCertificateDir: folder, defaultCertificatePath: path } = given;
  if (text !== undefined) return usable('--default-certificate', text);
  if (folder !== undefined && !isWithoutPair(folder)) {
    const [key, certificate] = await Promise.all([
      read(join(folder, 'tls.key')),
      read(join(folder, 'tls.crt')),
    ]);
    return usable(`--default-certificate-dir "${folder}"`, certificate, key);
  }
  if (path !== undefined) return usable(`--default-certificate-path "${path}"`, await read(path));
  const before = pairIn(await read(madeBefore).catch(() => ''));
  return typeof before === 'object' && before.validToMs > now.getTime()
    ? before.pem
    : selfSigned('router default certificate', now);
}

/** An optional mounted Secret that does not exist yet: the folder exists and is empty. */
export function isWithoutPair(folder: string): boolean {
  return existsSync(folder) && !['tls.key', 'tls.crt'].some((name) => existsSync(join(folder, name)));
}

function usable(what: string, certificate: string, key = ''): string {
  const pair = pairIn(certificate, key);
  if (typeof pair === 'object') return pair.pem;
  throw new ConfigError([`Cannot use ${what}: ${pair ?? 'certificate: expected a PEM certificate'}`]);
}

/** DH parameters, which old guides add to the certificate, are left out: HAProxy has those of `tune.ssl.default-dh-param`. */
function pairIn(certificate: string, key = ''): ReturnType<typeof readKeyPair> {
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
