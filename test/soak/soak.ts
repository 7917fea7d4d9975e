import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../src/engine/system/errors.ts';
import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';
import type { LoadEvent, LoadPlan, LoadSummary } from '../helpers/load/load-events.ts';
import { type Load, startLoad } from '../helpers/load/start-load.ts';
import { askRaw } from '../helpers/supervisor-ask.ts';
import type { BedNode } from '../helpers/vrrp/bed-node.ts';
import type { Stretch } from '../helpers/vrrp/holdings.ts';
import { stackPorts } from '../helpers/vrrp/node-stack.ts';
import { typed } from '../helpers/vrrp/typed.ts';
import type { SoakOptions } from './options.ts';
import { type Weighed, weighAll } from './weigh.ts';
import { openSoakWorld, type SoakWorld } from './world.ts';

/** The observations of one soak. */
export interface Seen {
  readonly minutes: number;
  readonly weighed: readonly Weighed[];
  /** One load through the VIP, and one to a node's own address. */
  readonly loads: readonly {
    readonly name: string;
    readonly events: readonly LoadEvent[];
    readonly summary: LoadSummary;
  }[];
  readonly moves: readonly Stretch[];
  readonly reloads: number;
  /** Reloads and moves that were refused. */
  readonly refused: readonly string[];
}

const WEIGH_EVERY_MS = 10_000;
const TELL_EVERY_MS = 60_000;
/** How long a client takes to notice that its stream's address has moved, plus a margin. */
const AFTER_MOVE_MS = 12_000;
const RELOAD_PATIENCE_MS = 30_000;
const HOUR_MS = 3_600_000;

/** Resolves when the time is up, or earlier after an abort. */
export async function soak(options: SoakOptions, signal: AbortSignal): Promise<Seen> {
  const forMs = options.minutes * 60_000;
  await using world = await openSoakWorld(forMs + HOUR_MS);
  await using loads = await startLoads(world, options);
  const beganAtMs = monotonicMs();
  const weighed: Weighed[] = [];
  const moves: Stretch[] = [];
  const refused: string[] = [];
  let reloads = 0;
  const over = AbortSignal.any([signal, AbortSignal.timeout(forMs)]);
  await Promise.all([
    every(WEIGH_EVERY_MS, WEIGH_EVERY_MS, over, async () => {
      weighed.push({ atMs: monotonicMs(), programs: weighAll(world) });
    }),
    every(options.reloadEveryMs, options.reloadEveryMs, over, async () => {
      for (const node of world.bed.nodes) refused.push(...(await reload(node)));
      reloads += 1;
    }),
    // Halfway between two reloads, so that a loss can be attributed to one or the other.
    every(options.moveEveryMs - options.reloadEveryMs / 2, options.moveEveryMs, over, async () => {
      const fromMs = monotonicMs();
      refused.push(...(await move(world)));
      moves.push({ fromMs, toMs: monotonicMs() + AFTER_MOVE_MS });
    }),
    every(TELL_EVERY_MS, TELL_EVERY_MS, over, async () => {
      const lost = loads.all
        .flatMap(({ load }) => load.events())
        .filter(({ kind }) => kind !== 'started').length;
      const minutes = ((monotonicMs() - beganAtMs) / 60_000).toFixed(0);
      process.stderr.write(`${minutes} min: ${reloads} reloads, ${moves.length} moves, ${lost} events\n`);
    }),
  ]);
  const ended = loads.all.map(async ({ name, load }) => ({
    name,
    summary: await load.stop(),
    events: load.events(),
  }));
  const minutes = (monotonicMs() - beganAtMs) / 60_000;
  return { minutes, weighed, loads: await Promise.all(ended), moves, reloads, refused };
}

/** Calls never overlap: if `work` takes longer than `everyMs`, turns are skipped. */
async function every(
  firstMs: number,
  everyMs: number,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  for (let dueMs = monotonicMs() + firstMs; !signal.aborted; ) {
    const waited = await delay(Math.max(0, dueMs - monotonicMs()), true, { signal }).catch(() => false);
    if (!waited) return;
    await work();
    while (dueMs <= monotonicMs()) dueMs += everyMs;
  }
}

async function startLoads({ bed }: SoakWorld, { ratePerSecond, streams }: SoakOptions) {
  await using owned = new AsyncDisposableStack();
  const servers = bed.nodes.map(({ name }) => name);
  const start = async (name: string, to: Pick<LoadPlan, 'host' | 'port' | 'ratePerSecond' | 'streams'>) => {
    const plan = { ...to, timeoutMs: 5_000, streamRampMs: 10_000, servers, probe: null };
    return { name, load: owned.use<Load>(await startLoad(bed.client.prefix, plan)) };
  };
  const [first] = bed.nodes;
  if (first === undefined) throw new Error('Cannot start the load: there is no node');
  const half = Math.floor(streams / 2);
  const all = [
    await start('VIP', { host: bed.vip, port: stackPorts.api, ratePerSecond, streams: half }),
    await start('node', {
      host: first.address,
      port: stackPorts.lb,
      ratePerSecond: 0,
      streams: streams - half,
    }),
  ];
  const kept = owned.move();
  return { all, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

async function reload(node: BedNode): Promise<readonly string[]> {
  const answers = ['haproxy-master.sock', 'keepalived.sock'].map(async (socket) => {
    const answer = await askRaw(join(node.runDir, socket), 'reload\n', RELOAD_PATIENCE_MS).catch(messageOf);
    const text = JSON.stringify(answer);
    return text.startsWith('[{"ok":true') ? [] : [`reload by ${socket} of ${node.name}: ${text}`];
  });
  return (await Promise.all(answers)).flat();
}

async function move({ bed, rested }: SoakWorld): Promise<readonly string[]> {
  const [holder] = bed.holders();
  if (holder === undefined) return ['move: no node holds the VIP'];
  const { exitCode, text } = await typed(holder, 'move-vip');
  const isRested = await rested().then(Boolean, () => false);
  if (exitCode !== 0) return [`move from ${holder.name}: ${text}`];
  const isElsewhere = isRested && bed.holders().every((node) => node !== holder);
  return isElsewhere ? [] : [`move from ${holder.name}: it came back, or the group did not rest`];
}
