import { isSameCredential, parseAuthorization, readCredential } from '../../engine/observe/credential.ts';
import type { Reader } from '../../engine/observe/http-endpoint.ts';

export interface MetricsAccess {
  readonly statsUsername?: string | undefined;
  readonly statsUsernameFile?: string | undefined;
  readonly statsPassword?: string | undefined;
  readonly statsPasswordFile?: string | undefined;
  readonly metricsTokenFile?: string | undefined;
}

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
    const { scheme, credentials } = parseAuthorization(authorization);
    switch (scheme) {
      case 'basic':
        return wantsBasic && (await isUser(access, credentials));
      case 'bearer':
        return isSameCredential(credentials, await textOf(undefined, access.metricsTokenFile));
      default:
        return false;
    }
  };
}

async function isUser(access: MetricsAccess, credentials: string): Promise<boolean> {
  const user = await textOf(access.statsUsername, access.statsUsernameFile);
  const password = await textOf(access.statsPassword, access.statsPasswordFile);
  if (user === undefined || password === undefined) return false;
  return isSameCredential(Buffer.from(credentials, 'base64').toString('utf8'), `${user}:${password}`);
}

/** A file takes precedence, as with openshift-router. Undefined if it cannot be read or is empty. */
async function textOf(text: string | undefined, path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return text || undefined;
  try {
    return (await readCredential(path)).text || undefined;
  } catch {
    return undefined;
  }
}
