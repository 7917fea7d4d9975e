import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import { messageOf } from '../system/errors.ts';
import { readRegularFile } from '../system/file/read-regular-file.ts';
import { oneAtATime } from '../system/time/one-at-a-time.ts';

/** The contents of the files that a kubeconfig names for its current cluster and user, without those whose data is embedded. */
export interface FileContents {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
  readonly token?: Buffer;
}

/** Fifty times the size of a certificate chain. */
export const MAX_CREDENTIAL_BYTES = 256 * 1024;
/** Well below a request's timeout, so that the request can report the cause. */
const READ_WITHIN_MS = 2_000;

/**
 * Returns a function that reads the files, which may have been rotated, one at a time. It rejects with the name of a file that cannot be read or
 * used, and at once while a file hangs.
 */
export function openCredentialFiles(
  config: Pick<KubeConfig, 'getCurrentCluster' | 'getCurrentUser'>,
  { read = readRegularFile, withinMs = READ_WITHIN_MS, wrong = wrongCredential } = {},
): () => Promise<FileContents> {
  let path = '';
  const fail = (what: string, cause?: unknown) =>
    new Error(`Cannot use "${path}", which the kubeconfig names: ${what}`, { cause });
  // As in kubectl, embedded data takes precedence over a file.
  const contentOf = async (named: string | null | undefined, data?: string): Promise<Buffer | undefined> => {
    if (!named || data) return undefined;
    path = named;
    try {
      return (await read(path, { MAX_CREDENTIAL_BYTES })).bytes;
    } catch (error) {
      throw fail(messageOf(error), error);
    }
  };
  const readAll = async (): Promise<FileContents> => {
    const cluster = config.getCurrentCluster();
    const user = config.getCurrentUser();
    const ca = await contentOf(cluster?.caFile, cluster?.caData);
    const cert = await contentOf(user?.certFile, user?.certData);
    const key = await contentOf(user?.keyFile, user?.keyData);
    const problem = wrong({ ca, cert, key });
    if (problem !== undefined) {
      path = { ca: cluster?.caFile, cert: user?.certFile, key: user?.keyFile }[problem.part] ?? '';
      throw fail(problem.what);
    }
    const token = await contentOf(user?.authProvider?.config?.tokenFile);
    if (token?.toString('utf8').trim() === '') throw fail('it is empty, expected a token');
    return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }), ...(token && { token }) };
  };
  return oneAtATime(readAll, withinMs, () => fail('it hangs'));
}

/** A view of `config` whose current cluster and user name no files. The library would read them and block the process. */
export function withoutFiles(config: KubeConfig): KubeConfig {
  const cluster = config.getCurrentCluster();
  const user = config.getCurrentUser();
  const provider = user?.authProvider?.config?.tokenFile === undefined ? user?.authProvider : undefined;
  return Object.assign(Object.create(config), {
    clusters: [{ ...cluster, caFile: undefined }],
    users: [{ ...user, certFile: undefined, keyFile: undefined, authProvider: provider }],
  });
}

/** All in PEM. */
interface TlsCredentials {
  readonly ca?: Buffer | undefined;
  readonly cert?: Buffer | undefined;
  readonly key?: Buffer | undefined;
}

interface WrongCredential {
  readonly part: keyof TlsCredentials;
  readonly what: string;
}

/**
 * The first credential that TLS cannot use. Node's errors do not name it, and Node ignores a CA file without a certificate and would then reject
 * every server.
 */
export function wrongCredential({ ca, cert, key }: TlsCredentials): WrongCredential | undefined {
  if (ca && !certificateOf(ca)) return { part: 'ca', what: 'it has no certificate, expected PEM' };
  const certificate = cert && certificateOf(cert);
  if (cert && !certificate) return { part: 'cert', what: 'it has no certificate, expected PEM' };
  const privateKey = key && keyOf(key);
  if (key && !privateKey)
    return { part: 'key', what: 'it has no private key, expected PEM without a passphrase' };
  if (certificate && privateKey && !certificate.checkPrivateKey(privateKey))
    return { part: 'key', what: "it is another certificate's key" };
  return undefined;
}

function certificateOf(pem: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function keyOf(pem: Buffer): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
