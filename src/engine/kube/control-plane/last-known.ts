import { createHash } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod/mini';
import { codeOf, messageOf } from '../../system/errors.ts';
import { writeFileAtomically } from '../../system/file/atomic-write.ts';
import { parseAddress } from '../../system/network/node-address.ts';
import { parseJson } from '../../system/text/parse-json.ts';
import { type ApiServer, sortServers } from '../api-server.ts';
import { safeServerName } from './server-name.ts';

export type LastKnown =
  | { readonly kind: 'known'; readonly servers: readonly ApiServer[]; readonly savedAt: string }
  /** There is no file: this is the first start on this machine. */
  | { readonly kind: 'none' }
  /** There is a file that must not be used. */
  | { readonly kind: 'unusable'; readonly reason: string };

const version = 1;
/** A hundred servers are 10 kB. A larger file was not written by hawser. */
const largestFile = 1_000_000;

const server = z.object({
  name: z.string().check(z.refine((name) => safeServerName(name) === name)),
  address: z.string().check(z.refine((address) => parseAddress(address)?.text === address)),
  port: z.int().check(z.minimum(1), z.maximum(65_535)),
});
const content = z.object({ savedAt: z.string(), servers: z.array(server).check(z.minLength(1)) });
const envelope = z.object({ version: z.literal(version), sha256: z.string(), content: z.string() });

/**
 * The list that was saved last, for a cold start without an API server. Never throws: a file that is missing, empty,
 * truncated, edited, huge or unreadable is a value with its reason.
 */
export async function readLastKnown(path: string): Promise<LastKnown> {
  try {
    const text = await readSmallFile(path);
    return typeof text === 'string' ? decode(path, text) : unusable(path, `it has ${text.bytes} bytes`);
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? { kind: 'none' } : unusable(path, messageOf(error));
  }
}

/** Saves a list that is being served, and makes the directory. Throws if the disk refuses. */
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
  if (!inner.success) return unusable(path, 'it holds no valid list of servers');
  return { kind: 'known', ...inner.data, servers: sortServers(inner.data.servers) };
}

/** Uses one handle, so that size and content belong to the same file. */
async function readSmallFile(path: string): Promise<string | { bytes: number }> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    return size > largestFile ? { bytes: size } : await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

function checksum(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function unusable(path: string, why: string): LastKnown {
  return {
    kind: 'unusable',
    reason: `Cannot use last-known list "${path}": ${why}, expected what was saved`,
  };
}
