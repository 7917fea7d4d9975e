import { open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
// Not the package's main file: that one loads the generated classes of every API, 15 MB of them.
import { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import { messageOf } from '../model/errors.ts';
import type { Report } from './source.ts';

export interface LoadedKubeconfig {
  readonly config: KubeConfig;
  /** Where the current context's cluster is served. */
  readonly server: URL;
  /** Differs between any two loads, so that connections made with an older one can be told apart. */
  readonly generation: number;
}

export interface KubeconfigFile {
  /** The last good content, read again whenever the file has changed. Throws while there has never been one. */
  load(): Promise<LoadedKubeconfig>;
  /** Makes the next `load` parse the file again, which also drops cached exec credentials. */
  forget(): void;
}

const largestFile = 1_000_000;

/**
 * A kubeconfig that may be replaced, rewritten in place, missing for a moment or half-written: `load` then goes on
 * with the last good content and reports the first failure and the recovery.
 */
export function openKubeconfig(path: string, report: Report): KubeconfigFile {
  let good: (LoadedKubeconfig & { readonly fingerprint: string }) | undefined;
  let generation = 0;
  let isFailing = false;
  let isForgotten = false;

  const reread = async (): Promise<LoadedKubeconfig> => {
    const { fingerprint, text } = await readIfChanged(path, isForgotten ? undefined : good?.fingerprint);
    if (text !== undefined || good === undefined) {
      const parsed = parseKubeconfig(path, text ?? '');
      generation += 1;
      isForgotten = false;
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

  // Loops that ask at the same moment share one look at the file: two would be two generations of the same content.
  let inFlight: Promise<LoadedKubeconfig> | undefined;
  return {
    forget: () => {
      isForgotten = true;
    },
    load: () => {
      inFlight ??= load().finally(() => {
        inFlight = undefined;
      });
      return inFlight;
    },
  };
}

/** `text` is left out where the file's identity is still `known`: same inode, size and modification time. */
async function readIfChanged(
  path: string,
  known: string | undefined,
): Promise<{ fingerprint: string; text?: string }> {
  const file = await open(path, 'r');
  try {
    const { ino, size, mtimeNs } = await file.stat({ bigint: true });
    const fingerprint = `${ino} ${size} ${mtimeNs}`;
    if (fingerprint === known) return { fingerprint };
    if (size > largestFile)
      throw new Error(`Cannot use kubeconfig "${path}": ${size} bytes, expected at most ${largestFile}`);
    return { fingerprint, text: await file.readFile('utf8') };
  } finally {
    await file.close();
  }
}

/** A file that was cut off may still be YAML: context, cluster, user and embedded certificates must all be there. */
function parseKubeconfig(path: string, text: string): { config: KubeConfig; server: URL } {
  const fail = (what: string, cause?: unknown) =>
    new Error(`Cannot use kubeconfig "${path}": ${what}, expected a complete kubeconfig`, { cause });
  const config = new KubeConfig();
  try {
    config.loadFromString(text);
    config.makePathsAbsolute(dirname(resolve(path)));
  } catch (error) {
    throw fail(messageOf(error), error);
  }
  const cluster = config.getCurrentCluster();
  const user = config.getCurrentUser();
  if (cluster === null || user === null) throw fail('its current context has no cluster or no user');
  if (!URL.canParse(cluster.server) || new URL(cluster.server).protocol !== 'https:')
    throw fail(`its server is "${cluster.server}" and not an https URL`);
  try {
    createSecureContext({
      ca: decode(cluster.caData),
      ...(user.certFile === undefined ? { cert: decode(user.certData), key: decode(user.keyData) } : {}),
    });
  } catch (error) {
    throw fail(`its embedded certificates are broken (${messageOf(error)})`, error);
  }
  return { config, server: new URL(cluster.server) };
}

function decode(base64: string | undefined): Buffer | undefined {
  return base64 === undefined || base64 === '' ? undefined : Buffer.from(base64, 'base64');
}
