import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import type { User } from '@kubernetes/client-node/dist/config_types.js';
import * as z from 'zod/mini';
import { messageOf } from '../system/errors.ts';
import { readRegularFile } from '../system/file/read-regular-file.ts';
import type { Log } from '../system/log.ts';
import { oneAtATime, sharedRun } from '../system/time/one-at-a-time.ts';
import { type FileContents, openCredentialFiles, wrongCredential } from './credential-files.ts';
import { neverThrowing } from './never-throwing.ts';

export interface LoadedKubeconfig {
  readonly config: KubeConfig;
  readonly files: () => Promise<FileContents>;
  /** The server of the current context's cluster. */
  readonly server: URL;
  /** Differs between any two loads, so that connections with older credentials can be recognised. */
  readonly generation: number;
}

export interface KubeconfigFile {
  /** The last valid content. Reads the file if it has changed. Throws if there has never been a valid one. */
  load(): Promise<LoadedKubeconfig>;
}

const MAX_KUBECONFIG_BYTES = 1_000_000;
/** A read on a dead mount never ends and cannot be cancelled. */
const READ_WITHIN_MS = 5_000;

/**
 * Opens a kubeconfig that may be replaced, rewritten in place, briefly missing or half-written. In these cases, and while a read hangs, `load`
 * returns the last valid content, and reports the first failure and the recovery. At most one read runs at a time.
 */
export function openKubeconfig(
  path: string,
  log: Log,
  { read = readIfChanged, withinMs = READ_WITHIN_MS }: ReadingParts = {},
): KubeconfigFile {
  const report = neverThrowing(log);
  let good: (LoadedKubeconfig & { readonly fingerprint: string }) | undefined;
  let generation = 0;
  let isFailing = false;

  const readFile = oneAtATime(
    () => read(path, good?.fingerprint),
    withinMs,
    () => new Error(`Cannot read kubeconfig "${path}": it hangs`),
  );

  const reread = async (): Promise<LoadedKubeconfig> => {
    const { fingerprint, text } = await readFile();
    if (text !== undefined || good === undefined) {
      // The package's main file would load the generated classes of every API: 15 MB. This file is loaded with the first kubeconfig, because it takes
      // 0.1 s of CPU, which a command on a node without a kubeconfig does not need.
      const client = await import('@kubernetes/client-node/dist/config.js');
      const parsed = await parseKubeconfig(path, text ?? '', new client.KubeConfig());
      generation += 1;
      if (good !== undefined) report({ event: 'kubeconfig-reloaded', path, server: parsed.server.origin });
      good = { ...parsed, generation, fingerprint };
    }
    return good;
  };

  const load = async (): Promise<LoadedKubeconfig> => {
    try {
      const loaded = await reread();
      if (isFailing) report({ event: 'kubeconfig-recovered', path });
      isFailing = false;
      return loaded;
    } catch (error) {
      if (!isFailing) report({ event: 'kubeconfig-unusable', level: 'warn', path, error: messageOf(error) });
      isFailing = true;
      if (good === undefined) throw error;
      return good;
    }
  };

  return {
    // Concurrent callers share one read. Two reads would make two generations of the same content.
    load: sharedRun(load),
  };
}

interface Content {
  readonly fingerprint: string;
  readonly text?: string;
}

interface ReadingParts {
  readonly read?: typeof readIfChanged;
  readonly withinMs?: number;
}

/** Omits `text` if the file still has the fingerprint `known`: inode, size and modification time. */
async function readIfChanged(path: string, known: string | undefined): Promise<Content> {
  const { ino, size, mtimeNs } = await stat(path, { bigint: true });
  const fingerprint = `${ino} ${size} ${mtimeNs}`;
  if (fingerprint === known) return { fingerprint };
  const { bytes } = await readRegularFile(path, { MAX_KUBECONFIG_BYTES });
  return { fingerprint, text: bytes.toString('utf8') };
}

const embeddedNames = {
  ca: 'certificate-authority-data',
  cert: 'client-certificate-data',
  key: 'client-key-data',
} as const;

/** Requires context, cluster, user and embedded certificates, because a truncated file may still be valid YAML. */
async function parseKubeconfig(
  path: string,
  text: string,
  config: KubeConfig,
): Promise<Pick<LoadedKubeconfig, 'config' | 'files' | 'server'>> {
  const fail = (what: string, cause?: unknown, expected = 'a complete kubeconfig') =>
    new Error(`Cannot use kubeconfig "${path}": ${what}, expected ${expected}`, { cause });
  try {
    const dir = dirname(resolve(path));
    config.loadFromString(await moveTokenFiles(text, dir));
    config.makePathsAbsolute(dir);
  } catch (error) {
    throw fail(messageOf(error), error);
  }
  const cluster = config.getCurrentCluster();
  const user = config.getCurrentUser();
  if (cluster === null || user === null) throw fail('its current context has no cluster or no user');
  if (runsProgram(user))
    throw fail(
      'its user runs a program (exec)',
      undefined,
      'client certificate files, a token or a tokenFile',
    );
  if (!URL.canParse(cluster.server) || new URL(cluster.server).protocol !== 'https:')
    throw fail(`its server is "${cluster.server}" and not an https URL`);
  const embedded = { ca: decode(cluster.caData), cert: decode(user.certData), key: decode(user.keyData) };
  const wrong = wrongCredential(embedded);
  if (wrong !== undefined) throw fail(`its ${embeddedNames[wrong.part]} cannot be used: ${wrong.what}`);
  try {
    createSecureContext(embedded);
  } catch (error) {
    throw fail(`its embedded certificates are broken (${messageOf(error)})`, error);
  }
  return { config, files: openCredentialFiles(config), server: new URL(cluster.server) };
}

/** The library would start the program for each request and wait for it without a timeout. */
function runsProgram({ exec, authProvider }: User): boolean {
  return Boolean(exec ?? authProvider?.config?.exec ?? authProvider?.config?.['cmd-path']);
}

/** The library returns null for an empty field, and returns a number or a list unchanged. */
function decode(base64: unknown): Buffer | undefined {
  if (!base64) return undefined;
  return Buffer.from(typeof base64 === 'string' ? base64 : JSON.stringify(base64), 'base64');
}

const path = z.nullish(z.string());
const user = z.looseObject({ tokenFile: path, 'token-file': path });
const content = z.looseObject({ users: z.array(z.looseObject({ user: z.nullish(user) })) });

/**
 * Returns the kubeconfig `text` with each user's `tokenFile`, which the library ignores, moved to the field that the library uses for a pod's own
 * token. Also moves `token-file`, which kubectl does not know: the library would read the file while parsing. Paths are relative to `dir`. Throws if
 * the text mentions one of them but is not a kubeconfig.
 */
async function moveTokenFiles(text: string, dir: string): Promise<string> {
  if (!/\btoken-?file\b/i.test(text)) return text;
  // A bundled CommonJS package has only a default export.
  const { default: yaml } = await import('yaml');
  const { data } = content.safeParse(yaml.parse(text, { merge: true }));
  if (data === undefined) throw new Error('its users cannot be read');
  const users = data.users.map(({ user, ...named }) => {
    const { tokenFile, 'token-file': other, ...rest } = user ?? {};
    const file = tokenFile || other;
    if (!file) return { ...named, user: rest };
    const provider = { name: 'tokenFile', config: { tokenFile: resolve(dir, file) } };
    return { ...named, user: { ...rest, 'auth-provider': provider } };
  });
  return JSON.stringify({ ...data, users });
}
