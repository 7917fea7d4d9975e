/**
 * `node apply-synced.ts DIRECTORY HOW`: applies a set and then another one, and prints what of a set was not on the disk at the moment when a last
 * good copy could be made of it: when the applier makes one, and when the supervisor is asked for a reload, since it keeps what it starts. `HOW` the second
 * one reaches HAProxy: at runtime (`told`), by a reload (`reload`), or at runtime by a process that ends before the set is on disk (`left`).
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import fs, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { createApplier } from '../../../../src/engine/apply/applier.ts';
import type { Compare } from '../../../../src/engine/apply/bring-into-service.ts';
import type { Answer } from '../../../../src/engine/control/answer.ts';
import { serveControlSocket } from '../../../../src/engine/control/control-server.ts';
import { folderIn, setOf } from './set-scene.ts';

const [directory = '', how = ''] = process.argv.slice(2);
const [configPath, socketPath] = [join(directory, 'haproxy.cfg'), join(directory, 'master.sock')];
/** Files by their numbers, and folders by their paths, since a folder that is renamed takes its files with it. */
const dirty = new Set<number | string>();
const found: { readonly when: string; readonly unsynced: readonly string[] }[] = [];

const { open, mkdir, link, rename } = fs;
Object.assign(fs, {
  open: async (...args: Parameters<typeof open>) => {
    const handle = await open(...args);
    if (!String(args[1]).startsWith('w')) return watched(String(args[0]), handle);
    dirty.add((await handle.stat()).ino).add(dirname(String(args[0])));
    return watched(String(args[0]), handle);
  },
  mkdir: async (...args: Parameters<typeof mkdir>) => {
    await mkdir(...args);
    // Nothing names the spare folder.
    if (!String(args[0]).endsWith('/next')) dirty.add(dirname(String(args[0])));
    dirty.add(String(args[0]));
  },
  link: async (from: string, to: string) => {
    await link(from, to);
    dirty.add(dirname(to));
  },
  rename: async (from: string, to: string) => {
    if (to.endsWith('.last-good')) look('copied');
    await rename(from, to);
    for (const each of dirty)
      if (String(each).startsWith(`${from}/`)) dirty.add(to + String(each).slice(from.length));
    dirty.add(dirname(from)).add(dirname(to)).add(to);
  },
});
syncBuiltinESMExports();

function watched(path: string, handle: FileHandle): FileHandle {
  const sync = handle.sync.bind(handle);
  return Object.assign(handle, {
    sync: async () => {
      await sync();
      dirty.delete((await handle.stat()).ino);
      dirty.delete(path);
    },
  });
}

/** What is on disk now. */
function look(when: string): void {
  const folder = folderIn(readFileSync(configPath, 'utf8'));
  const below = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = [folder, dirname(folder), ...below.map((each) => join(each.parentPath, each.name))];
  const isDirty = (path: string): boolean => dirty.has(path) || dirty.has(statSync(path).ino);
  found.push({ when, unsynced: paths.filter(isDirty).map((path) => path.slice(directory.length)) });
}

const leaving = new AbortController();
const served = await serveControlSocket(socketPath, async (line): Promise<Answer> => {
  if (line === 'status') return { ok: true, changes: { made: 0 }, current: { configSha256: 'unknown' } };
  if (line === 'reload') look('asked');
  if (line !== 'reload' && how === 'left' && line.includes('"checked":false')) leaving.abort();
  return { ok: true, generation: 1, tookMs: 5, ...(line !== 'reload' && { atRunTime: true }) };
});
const difference: Compare = () =>
  how === 'reload' ? { kind: 'reload', what: 'x', reason: 'x' } : { kind: 'runtime', changes: [] };
const check = async () => ({ kind: 'valid' }) as const;
const open1 = () => createApplier({ configPath, socketPath, check, difference, checksAfter: true });
const signal = AbortSignal.timeout(20_000);
const first = open1();
await first.apply(setOf('old'), signal);
await first.settle(signal)?.outcome;
await first.apply(setOf('new'), AbortSignal.any([signal, leaving.signal])).catch(() => undefined);
const last = how === 'left' ? open1() : first;
await last.apply(setOf('new'), signal);
await last.settle(signal)?.outcome;
process.stdout.write(JSON.stringify(found));
if (served.kind === 'serving') await served.close();
