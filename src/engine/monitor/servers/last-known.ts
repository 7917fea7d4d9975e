import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod/mini';
import { type ApiServer, sameServers, sortServers } from '../../kube/api-server.ts';
import { safeServerName } from '../../kube/control-plane/server-name.ts';
import { codeOf, messageOf } from '../../system/errors.ts';
import { writeFileAtomically } from '../../system/file/atomic-write.ts';
import { readRegularFile } from '../../system/file/read-regular-file.ts';
import { parseAddress } from '../../system/network/node-address.ts';
import { parseJson } from '../../system/text/parse-json.ts';
import type { Observers } from '../observers.ts';

type LastKnown =
  | { readonly kind: 'known'; readonly servers: readonly ApiServer[]; readonly savedAt: string }
  /** No file: the first start on this machine. */
  | { readonly kind: 'none' }
  /** The file must not be used. */
  | { readonly kind: 'unusable'; readonly reason: string };

const version = 1;
/** A hundred servers take 10 kB. A larger file was not written by hawser. */
const MAX_LAST_KNOWN_BYTES = 1_000_000;

const server = z.object({
  name: z.string().check(z.refine((name) => safeServerName(name) === name)),
  address: z.string().check(z.refine((address) => parseAddress(address)?.text === address)),
  port: z.int().check(z.minimum(1), z.maximum(65_535)),
  drained: z.exactOptional(z.literal(true)),
});
const content = z.object({ savedAt: z.string(), servers: z.array(server).check(z.minLength(1)) });
const envelope = z.object({ version: z.literal(version), sha256: z.string(), content: z.string() });

/**
 * Reads the last saved list, for a cold start without an API server. Never throws: if the file is missing, empty, truncated, edited, too large or
 * unreadable, the result says so.
 */
export async function readLastKnown(path: string): Promise<LastKnown> {
  try {
    const { bytes } = await readRegularFile(path, { MAX_LAST_KNOWN_BYTES });
    return decode(path, bytes.toString('utf8'));
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? { kind: 'none' } : unusable(path, messageOf(error));
  }
}

/** The list of an earlier run, and the function that saves later ones. */
export interface LastKnownList {
  readonly lastKnown: readonly ApiServer[] | undefined;
  /** Saves a served list unless it is already saved. A failed write is logged once, and retried at the next call. */
  readonly save: (servers: readonly ApiServer[]) => void;
}

/** Reads the list at `path` for a cold start. An unusable list is logged. */
export async function openLastKnown(
  path: string,
  { log, once }: Pick<Observers, 'log' | 'once'>,
): Promise<LastKnownList> {
  const read = await readLastKnown(path);
  if (read.kind === 'unusable') log({ event: 'last-known-unusable', level: 'warn', message: read.reason });
  const lastKnown = read.kind === 'known' ? read.servers : undefined;
  let saved = lastKnown ?? [];
  let saving: Promise<unknown> = Promise.resolve();
  const failed = (error: unknown): void => {
    const message = messageOf(error);
    if (once.isNew('last-known', message))
      log({ event: 'last-known-not-saved', level: 'warn', path, message });
  };
  return {
    lastKnown,
    save: (servers) => {
      if (servers.length === 0 || sameServers(saved, servers)) return;
      saved = servers;
      const write = (): Promise<void> => writeLastKnown(path, servers, new Date());
      saving = saving.then(write).then(
        () => once.clear('last-known'),
        (error: unknown) => {
          if (saved === servers) saved = [];
          failed(error);
        },
      );
    },
  };
}

/** Saves a served list. Creates the directory. Throws the system's error. */
export async function writeLastKnown(path: string, servers: readonly ApiServer[], now: Date): Promise<void> {
  const body = JSON.stringify({ savedAt: now.toISOString(), servers: sortServers(servers) });
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const text = JSON.stringify({ version, sha256: checksum(body), content: body });
  await writeFileAtomically(path, `${text}\n`, { mode: 0o600 });
}

function decode(path: string, text: string): LastKnown {
  const outer = envelope.safeParse(parseJson(text));
  if (!outer.success) return unusable(path, `it is not a saved list of version ${version}`);
  if (checksum(outer.data.content) !== outer.data.sha256)
    return unusable(path, 'its content does not match its checksum');
  const inner = content.safeParse(parseJson(outer.data.content));
  if (!inner.success) return unusable(path, 'its list of servers is invalid');
  return { kind: 'known', ...inner.data, servers: sortServers(inner.data.servers) };
}

function checksum(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function unusable(path: string, why: string): LastKnown {
  return {
    kind: 'unusable',
    reason: `Cannot use last-known list "${path}": ${why}, expected the saved list`,
  };
}
