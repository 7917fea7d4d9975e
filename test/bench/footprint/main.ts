/** A program that measures the memory of a node's four programs, at rest and after reloads, and a supervisor's start time. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type MemoryKb, memoryOf } from '../../helpers/process-tree.ts';
import { askRaw } from '../../helpers/supervisor-ask.ts';
import { ensureBuilt } from '../../helpers/supervisor-build.ts';
import type { BedNode } from '../../helpers/vrrp/bed-node.ts';
import type { HawserPart, HawserStack } from '../../helpers/vrrp/hawser.ts';
import { openScene, type Scene } from '../failover/scene.ts';
import { readBenchOptions } from '../options.ts';
import type { Spread } from '../reload/figures.ts';
import { describeMachine, formatMachine } from '../reload/machine.ts';
import { type StartKind, sockets, startTimes } from './starts.ts';

const parts = ['haproxy', 'haproxy-monitor', 'keepalived', 'keepalived-monitor'] as const;
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
  --rounds        starts of a supervisor, of each kind (default: 10)`;
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
const starts: Record<StartKind, Record<string, Spread | null>> = { adopting: {}, cold: {} };
for (const kind of ['adopting', 'cold'] as const)
  for (const part of ['haproxy', 'keepalived'] as const) {
    const spread = await startTimes(scene, node, [part, kind], Number(values.rounds));
    starts[kind][part] = spread;
    const { median = Number.NaN, min = Number.NaN, max = Number.NaN } = spread ?? {};
    console.log(
      `${kind} start of ${part}'s supervisor, ms: median ${median.toFixed(0)} (${min.toFixed(0)} to ${max.toFixed(0)})`,
    );
  }
const missed = [
  ...(anonymousMb(afterReloads, 'total') > target.anonymousMb ? ['anonymous memory of all four'] : []),
  ...(['haproxy', 'keepalived'] as const)
    .filter((part) => anonymousMb(afterReloads, part) > target.supervisorAnonymousMb)
    .map((part) => `anonymous memory of ${part}'s supervisor`),
  ...Object.entries(starts).flatMap(([kind, spreads]) =>
    Object.entries(spreads)
      .filter(([, spread]) => spread === null || spread.median > target.startMs)
      .map(([part]) => `${kind} start of ${part}'s supervisor`),
  ),
];
console.log(missed.length === 0 ? 'every target met' : `targets missed: ${missed.join(', ')}`);
if (values.json !== undefined)
  writeFileSync(
    values.json,
    `${JSON.stringify({ atRest, afterReloads, starts: starts.adopting, coldStarts: starts.cold, target, machine, quick: Number(values.reloads) < 100 }, null, 2)}\n`,
  );
process.exitCode = missed.length === 0 ? 0 : 1;
