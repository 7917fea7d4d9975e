import { createPrivateKey, X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { ConfigError, messageOf } from '../../engine/system/errors.ts';
import { readRegularFile } from '../../engine/system/file/read-regular-file.ts';
import type { RouterSettings } from '../settings/router-settings.ts';
import { selfSigned } from './self-signed.ts';

const MAX_CERTIFICATE_BYTES = 1024 * 1024;

type Given = Pick<RouterSettings, 'defaultCertificate' | 'defaultCertificatePath' | 'defaultCertificateDir'>;

/**
 * Key and certificate for hosts without their own, as PEM: given as text, as a folder or as a file, in this order; else
 * what `madeBefore` holds, until it expires; else a new self-signed one. Throws a ConfigError where the given one is none.
 */
export async function defaultCertificate(given: Given, madeBefore: string, now: Date): Promise<string> {
  const { defaultCertificate: text, defaultCertificateDir: folder, defaultCertificatePath: path } = given;
  if (text !== undefined) return usable('--default-certificate', text);
  if (folder !== undefined) {
    const [key, certificate] = await Promise.all([
      read(join(folder, 'tls.key')),
      read(join(folder, 'tls.crt')),
    ]);
    return usable(`--default-certificate-dir "${folder}"`, `${key.trimEnd()}\n${certificate}`);
  }
  if (path !== undefined) return usable(`--default-certificate-path "${path}"`, await read(path));
  const before = await read(madeBefore).catch(() => undefined);
  return before !== undefined &&
    problemOf(before) === undefined &&
    new X509Certificate(before).validToDate > now
    ? before
    : selfSigned('router default certificate', now);
}

function usable(what: string, text: string): string {
  const problem = problemOf(text);
  if (problem !== undefined) throw new ConfigError([`Cannot use ${what}: ${problem}`]);
  return text.endsWith('\n') ? text : `${text}\n`;
}

function problemOf(text: string): string | undefined {
  try {
    const isPair = new X509Certificate(text).checkPrivateKey(createPrivateKey(text));
    return isPair ? undefined : 'the key is not that of the certificate';
  } catch (error) {
    return `${messageOf(error)}, expected a certificate and its key as PEM`;
  }
}

async function read(path: string): Promise<string> {
  try {
    return (await readRegularFile(path, { MAX_CERTIFICATE_BYTES })).bytes.toString('utf8');
  } catch (error) {
    throw new ConfigError([`Cannot use the default certificate: ${messageOf(error)}`], { cause: error });
  }
}
