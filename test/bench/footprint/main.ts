/** A program: measures what the four programs of a node weigh, at rest and after reloads, and how fast a supervisor starts. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import { type MemoryKb, memoryOf } from '../../helpers/process-tree.ts';
import { askRaw } from '../../helpers/supervisor-ask.ts';
import { ensureBuilt } from '../../helpers/supervisor-build.ts';
import type { BedNode } from '../../helpers/vrrp/bed-node.ts';
import { sendSignal, waitForEnd } from '../../helpers/vrrp/bed-process.ts';
import type { HawserPart, HawserStack } from '../../helpers/vrrp/hawser.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { openScene, type Scene } from '../failover/scene.ts';
import { readBenchOptions } from '../options.ts';
import { type Spread, spreadOf } from '../reload/figures.ts';
import { describeMachine, formatMachine } from '../reload/machine.ts';

const parts = ['haproxy', 'haproxy-monitor', 'keepalived', 'keepalived-monitor'] as const;
const sockets = { haproxy: 'haproxy-master.sock', keepalived: 'keepalived.sock' } as const;
const target = { anonymousMb: 110, supervisorAnonymousMb: 14, startMs: 250 };

type Weights = Readonly<Record<HawserPart | 'total', MemoryKb>>;

function weigh(scene: Scene, node: BedNode): Weights {
  const stack = scene.stack as HawserStack;
  const weight = (part: HawserPart) => {
    const process = stack.part(node, part);
    if (process === undefined) throw new Error(`Cannot weigh ${part} on ${node.name}: it does not run`);
    return memoryOf([process]);
  };
  const each = {
    haproxy: weight('haproxy'),
    'haproxy-monitor': weight('haproxy-monitor'),
    keepalived: weight('keepalived'),
    'keepalived-monitor': weight('keepalived-monitor'),
  };
  const sum = (field: keyof MemoryKb) => parts.reduce((total, part) => total + each[part][field], 0);
  return { ...each, total: { rss: sum('rss'), pss: sum('pss'), anonymous: sum('anonymous') } };
}

async function reload(node: BedNode, times: number): Promise<void> {
  for (const socket of Object.values(sockets))
    for (let count = 0; count < times; count += 1) {
      const [answer] = await askRaw(join(node.runDir, socket), 'reload\n');
      if (!JSON.stringify(answer).startsWith('{"ok":true'))
        throw new Error(`Cannot reload by ${socket}: ${JSON.stringify(answer)}`);
    }
}

/** From its start until it answers on its control socket. */
async function startTimes(scene: Scene, node: BedNode, part: keyof typeof sockets, rounds: number) {
  const stack = scene.stack as HawserStack;
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = stack.part(node, part);
    if (before === undefined) throw new Error(`Cannot restart ${part} on ${node.name}: it does not run`);
    sendSignal([before.id], 'SIGKILL');
    await waitForEnd([before.id]);
    const fromMs = monotonicMs();
    stack.startPart(node, part);
    const answers = () => askRaw(join(node.runDir, sockets[part]), 'ping\n').then(Boolean, () => false);
    await waitFor(`${part} to answer`, answers);
    times.push(monotonicMs() - fromMs);
    await scene.rested();
  }
  return spreadOf(times);
}

function formatWeights(when: string, weights: Weights): string {
  const row = (name: string, { rss, pss, anonymous }: MemoryKb) =>
    name.padEnd(22) + [rss, pss, anonymous].map((kb) => (kb / 1_024).toFixed(1).padStart(14)).join('');
  const heading =
    when.padEnd(22) + ['resident', 'proportional', 'anonymous'].map((each) => each.padStart(14)).join('');
  return [heading, ...parts.map((part) => row(part, weights[part])), row('all four', weights.total), ''].join(
    '\n',
  );
}

const anonymousMb = (weights: Weights, part: keyof Weights) => weights[part].anonymous / 1_024;

const usage = `usage: npm run bench:footprint [-- --json FILE] [--reloads N] [--rest-seconds N] [--rounds N]
  --json          also write the figures to this file
  --reloads       after which the memory is measured again (default: 100)
  --rest-seconds  before the first measurement (default: 60)
  --rounds        starts of a supervisor (default: 10)`;
const values = readBenchOptions(usage, {
  json: { type: 'string' },
  reloads: { type: 'string', default: '100' },
  'rest-seconds': { type: 'string', default: '60' },
  rounds: { type: 'string', default: '10' },
});
ensureBuilt();
const machine = await describeMachine();
await using scene = await openScene('hawser');
const holder = await scene.rested();
const node = scene.members.find((each) => each !== holder);
if (node === undefined) throw new Error('Cannot find a node that does not hold the VIP');
console.log(`${formatMachine(machine)}\n\nMB on one of three nodes\n`);
const rest = () => pause(Number(values['rest-seconds']) * 1_000);
await rest();
const atRest = weigh(scene, node);
console.log(formatWeights('at rest', atRest));
await reload(node, Number(values.reloads));
await rest();
const afterReloads = weigh(scene, node);
console.log(formatWeights(`after ${values.reloads} reloads`, afterReloads));
const starts: Record<string, Spread | null> = {};
for (const part of ['haproxy', 'keepalived'] as const) {
  const spread = await startTimes(scene, node, part, Number(values.rounds));
  starts[part] = spread;
  const { median = Number.NaN, min = Number.NaN, max = Number.NaN } = spread ?? {};
  console.log(
    `start of ${part}'s supervisor, ms: median ${median.toFixed(0)} (${min.toFixed(0)} to ${max.toFixed(0)})`,
  );
}
const missed = [
  ...(anonymousMb(afterReloads, 'total') > target.anonymousMb ? ['anonymous memory of all four'] : []),
  ...(['haproxy', 'keepalived'] as const)
    .filter((part) => anonymousMb(afterReloads, part) > target.supervisorAnonymousMb)
    .map((part) => `anonymous memory of ${part}'s supervisor`),
  ...Object.entries(starts)
    .filter(([, spread]) => spread === null || spread.median > target.startMs)
    .map(([part]) => `start of ${part}'s supervisor`),
];
console.log(missed.length === 0 ? 'every target met' : `targets missed: ${missed.join(', ')}`);
if (values.json !== undefined)
  writeFileSync(
    values.json,
    `${JSON.stringify({ atRest, afterReloads, starts, target, machine, quick: Number(values.reloads) < 100 }, null, 2)}\n`,
  );
process.exitCode = missed.length === 0 ? 0 : 1;
