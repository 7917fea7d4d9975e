import { createHash, timingSafeEqual } from 'node:crypto';
import type { Reader } from '../../engine/observe/http-endpoint.ts';
import { readRegularFile } from '../../engine/system/file/read-regular-file.ts';

export interface MetricsAccess {
  readonly statsUsername?: string | undefined;
  readonly statsUsernameFile?: string | undefined;
  readonly statsPassword?: string | undefined;
  readonly statsPasswordFile?: string | undefined;
  readonly metricsTokenFile?: string | undefined;
}

/** A user's name, a password, a token of a service account. */
const MAX_CREDENTIAL_BYTES = 64 * 1024;

/**
 * Whether a request may read the metrics: by user and password where both are given (basic), or by the text of the token file
 * (bearer); where neither is given, from this machine alone. Files are read each time, so that a Secret that changes
 * holds at once. One that cannot be read admits nobody.
 */
export function metricsAccess(access: MetricsAccess): (reader: Reader) => Promise<boolean> {
  const wantsBasic =
    (access.statsUsername ?? access.statsUsernameFile) !== undefined &&
    (access.statsPassword ?? access.statsPasswordFile) !== undefined;
  const isOpen = !wantsBasic && access.metricsTokenFile === undefined;
  return async ({ authorization, isLocal }) => {
    if (isOpen) return isLocal;
    const [, scheme = '', credentials = ''] = /^(\w+) +(\S+)$/.exec(authorization) ?? [];
    switch (scheme.toLowerCase()) {
      case 'basic':
        return wantsBasic && (await isUser(access, credentials));
      case 'bearer':
        return isSame(credentials, await textOf(undefined, access.metricsTokenFile));
      default:
        return false;
    }
  };
}

async function isUser(access: MetricsAccess, credentials: string): Promise<boolean> {
  const user = await textOf(access.statsUsername, access.statsUsernameFile);
  const password = await textOf(access.statsPassword, access.statsPasswordFile);
  if (user === undefined || password === undefined) return false;
  return isSame(Buffer.from(credentials, 'base64').toString('utf8'), `${user}:${password}`);
}

/** A file takes precedence, as with openshift-router. Undefined if it cannot be read or is empty. */
async function textOf(text: string | undefined, path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return text || undefined;
  try {
    const { bytes } = await readRegularFile(path, { MAX_CREDENTIAL_BYTES });
    return bytes.toString('utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

/** In a time that says nothing about where they differ, or about their lengths. */
function isSame(given: string, expected: string | undefined): boolean {
  if (expected === undefined) return false;
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
