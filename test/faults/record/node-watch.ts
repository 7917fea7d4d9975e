import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import type { BedNode } from '../../helpers/vrrp/bed-node.ts';
import type { Entry, HistoryWriter } from './history.ts';

/** The files an administrator would compare: inputs and outputs of the monitors. */
export const watchedFiles = [
  'haproxy.cfg',
  'keepalived.conf',
  'haproxy.cfg.ejs',
  'keepalived.conf.ejs',
] as const;

const EVERY_MS = 100;
/** Finding a node's processes means reading every process on the machine, so it is done less often. */
const PROCESSES_EVERY = 5;

/** Records what changed on the nodes since the last poll. */
export function watchNodes(nodes: readonly BedNode[], { write }: HistoryWriter): Disposable {
  const last = new Map<string, string>();
  const changed = (key: string, entry: Entry & { readonly atMs: number }) => {
    const { atMs: _atMs, ...value } = entry;
    const text = JSON.stringify(value);
    if (last.get(key) === text) return;
    last.set(key, text);
    write(entry);
  };
  let round = 0;
  const look = (node: BedNode) => {
    const about = { atMs: monotonicMs(), node: node.name };
    changed(`${node.name}/vrrp`, { kind: 'vrrp', ...about, state: readState(node) });
    for (const file of watchedFiles)
      changed(`${node.name}/${file}`, { kind: 'file', ...about, file, sha: shaOf(node.at(file)) });
    if (round % PROCESSES_EVERY === 0)
      changed(`${node.name}/haproxys`, { kind: 'haproxys', ...about, count: node.running('haproxy').length });
  };
  const timer = setInterval(() => {
    for (const node of nodes) look(node);
    round += 1;
  }, EVERY_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

export function shaOf(path: string): string | null {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex');
  } catch {
    return null;
  }
}

const stateSchema = z.object({ instances: z.array(z.object({ state: z.string() })) });

/** The state of the only VRRP instance. */
function readState(node: BedNode): string | null {
  try {
    const text = readFileSync(join(node.runDir, 'vrrp-state.json'), 'utf8');
    return stateSchema.parse(JSON.parse(text)).instances[0]?.state ?? null;
  } catch {
    return null;
  }
}
