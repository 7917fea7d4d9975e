import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import { apiServerAnswers, startApiServer } from '../../helpers/vrrp/api-server.ts';
import type { BedNode } from '../../helpers/vrrp/bed-node.ts';
import { forgetConfiguration, type HawserStack } from '../../helpers/vrrp/hawser.ts';
import { overlapMs, takeOvers } from '../../helpers/vrrp/holdings.ts';
import type { VrrpBed } from '../../helpers/vrrp/vrrp-bed.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { type Phases, phasesSince } from './phases.ts';

/** One way in which power returns to all nodes. */
export interface Boot {
  readonly name: string;
  readonly about: string;
  /** `kept`: the disks survive. `none`: the first start on these machines. */
  readonly files: 'kept' | 'none';
  /** `away`: not until a node has held the VIP for a while. On a first start, which waits for the API, it starts last. */
  readonly api: 'there' | 'away';
  /** Time between the starts of two nodes. */
  readonly gapMs: number;
}

export const boots: readonly Boot[] = [
  { name: 'kept', about: 'files kept, API there, all at once', files: 'kept', api: 'there', gapMs: 0 },
  { name: 'kept-staggered', about: 'the same, a second apart', files: 'kept', api: 'there', gapMs: 1_000 },
  { name: 'kept-away', about: 'files kept, API away, all at once', files: 'kept', api: 'away', gapMs: 0 },
  {
    name: 'kept-away-staggered',
    about: 'the same, a second apart',
    files: 'kept',
    api: 'away',
    gapMs: 1_000,
  },
  { name: 'first', about: 'first start ever, API there, all at once', files: 'none', api: 'there', gapMs: 0 },
  {
    name: 'first-away',
    about: 'first start ever, API 5 s after all programs',
    files: 'none',
    api: 'away',
    gapMs: 0,
  },
];

/** In milliseconds since the start of the last program. */
export interface BootFigures {
  readonly holderMs: number;
  readonly twoHoldersMs: number;
  /** Moves after the first holder, including those when the API returns. */
  readonly furtherMoves: number;
  readonly phases: Phases;
}

const PATIENCE_MS = 60_000;
/** Longer than a node waits without an API server. */
const WATCH_MS = 12_000;
const API_LATE_MS = 5_000;

/** Cuts the power of every node, restores it, and records which nodes take the VIP. */
export async function measureBoot(bed: VrrpBed, stack: HawserStack, boot: Boot): Promise<BootFigures> {
  const { nodes } = bed;
  await Promise.all(nodes.map((node) => bed.powerOff(node)));
  if (boot.files === 'none') for (const node of nodes) forgetConfiguration(node);
  for (const node of nodes) {
    for (const part of ['keepalived', 'keepalived-monitor', 'haproxy', 'haproxy-monitor'])
      rmSync(node.at(`${part}.log`), { force: true });
    await bed.powerOn(node);
  }
  if (boot.api === 'there') await startApi(bed, nodes);
  const epochOffsetMs = Date.now() - monotonicMs();
  const fromMs = monotonicMs();
  let lastMs = fromMs;
  const startedMs = new Map<string, number>();
  for (const [index, node] of nodes.entries()) {
    if (index > 0) await pause(boot.gapMs);
    await stack.start(node);
    lastMs = monotonicMs();
    startedMs.set(node.name, lastMs);
  }
  if (boot.api === 'away' && boot.files === 'none') {
    await pause(API_LATE_MS);
    await startApi(bed, nodes);
    lastMs = monotonicMs();
  }
  const taken = () => takeOvers(bed.events(), fromMs, Number.POSITIVE_INFINITY);
  const [first] = await waitFor('a holder', () => (taken().length > 0 ? taken() : undefined), PATIENCE_MS);
  if (first === undefined) throw new Error('Cannot measure a boot without a holder');
  await pause(WATCH_MS);
  if (boot.api === 'away' && boot.files === 'kept') {
    await startApi(bed, nodes);
    await pause(WATCH_MS);
  }
  const node = nodes.find(({ name }) => name === first.node);
  return {
    holderMs: first.fromMs - lastMs,
    twoHoldersMs: overlapMs(bed.events(), fromMs, monotonicMs()),
    furtherMoves: taken().length - 1,
    phases: node === undefined ? {} : phasesSince(node, epochOffsetMs + lastMs),
  };
}

async function startApi(bed: VrrpBed, nodes: readonly BedNode[]): Promise<void> {
  for (const node of nodes) startApiServer(bed, node);
  for (const node of nodes)
    await waitFor(`the API server of ${node.name}`, () => apiServerAnswers(node), PATIENCE_MS);
}
