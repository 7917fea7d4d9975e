import { isAlive } from '../../../src/engine/system/process/processes.ts';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import type { BedNode } from '../../helpers/vrrp/bed-node.ts';
import type { BedProcess } from '../../helpers/vrrp/bed-process.ts';

/** The main processes of containers: hawser's four programs and the API server. */
export const keptParts = [
  'apiserver',
  'haproxy',
  'haproxy-monitor',
  'keepalived-monitor',
  'keepalived',
] as const;
export type KeptPart = (typeof keptParts)[number];

export interface PartEvent {
  readonly atMs: number;
  readonly node: string;
  readonly part: KeptPart;
  readonly what: 'started' | 'ended';
}

/** Simulates the kubelet of every node: restarts its programs some time after they exit. */
export interface Keeper {
  /** Powers the node on: its parts are started and kept running. */
  keep(node: BedNode): void;
  /** Stops restarting the node's parts. */
  leave(node: BedNode): void;
  /** The process of the part's last start. */
  part(node: BedNode, part: KeptPart): BedProcess | undefined;
  allRun(): boolean;
}

const LOOK_MS = 100;
/** The kubelet's first restart of a container comes after 1.3 s (docs/internals/decisions/0038). */
const RESTART_MS = 1_300;

export function startKeeper(
  start: (node: BedNode, part: KeptPart) => BedProcess,
  take: (event: PartEvent) => void,
  signal: AbortSignal,
): Keeper {
  const kept = new Set<BedNode>();
  const running = new Map<string, BedProcess>();
  const ended = new Map<string, number>();
  const key = (node: BedNode, part: KeptPart) => `${node.name}/${part}`;
  const startOne = (node: BedNode, part: KeptPart) => {
    ended.delete(key(node, part));
    running.set(key(node, part), start(node, part));
    take({ atMs: monotonicMs(), node: node.name, part, what: 'started' });
  };
  const look = (node: BedNode, part: KeptPart) => {
    const process = running.get(key(node, part));
    if (process !== undefined && isAlive(process.id)) return;
    const sinceMs = ended.get(key(node, part));
    if (sinceMs === undefined) {
      ended.set(key(node, part), monotonicMs());
      take({ atMs: monotonicMs(), node: node.name, part, what: 'ended' });
    } else if (monotonicMs() - sinceMs >= RESTART_MS) startOne(node, part);
  };
  const timer = setInterval(() => {
    for (const node of kept) for (const part of keptParts) look(node, part);
  }, LOOK_MS);
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  return {
    keep: (node) => {
      kept.add(node);
      for (const part of keptParts) startOne(node, part);
    },
    leave: (node) => void kept.delete(node),
    part: (node, part) => running.get(key(node, part)),
    allRun: () => [...running].every(([name, { id }]) => !ended.has(name) && isAlive(id)),
  };
}
