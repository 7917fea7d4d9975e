/** A program: measures how long `hawser status` takes to answer, whichever of a node's four programs is dead or hangs. */
import { writeFileSync } from 'node:fs';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import { ensureBuilt, hawser } from '../../helpers/supervisor-build.ts';
import type { BedNode } from '../../helpers/vrrp/bed-node.ts';
import { sendSignal, waitForEnd } from '../../helpers/vrrp/bed-process.ts';
import { type HawserPart, type HawserStack, takesPart } from '../../helpers/vrrp/hawser.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { openScene, type Scene } from '../failover/scene.ts';
import { readBenchOptions } from '../options.ts';
import { type Spread, spreadOf } from '../reload/figures.ts';
import { describeMachine, formatMachine } from '../reload/machine.ts';

const TARGET_MS = 300;
const PATIENCE_MS = 120_000;
const parts = ['haproxy', 'haproxy-monitor', 'keepalived', 'keepalived-monitor'] as const;

interface Condition {
  readonly name: string;
  readonly argv: readonly [string, ...string[]];
  readonly trouble: readonly HawserPart[];
  readonly signal: 'SIGKILL' | 'SIGSTOP';
  /** A hung program gets its full timeout, so that a busy one is not called dead. That time is reported without a target. */
  readonly isHeld: boolean;
}

/** The first is what a program costs that asks nobody, on this machine and now. */
function conditionsOf(node: BedNode): readonly Condition[] {
  const [file, ...prefix] = node.namespace.prefix;
  const typed = (...args: readonly string[]): Condition['argv'] => [file, ...prefix, hawser, ...args];
  const argv = typed('status', '--node-name', node.name);
  const held = { argv, trouble: [], signal: 'SIGKILL', isHeld: true } as const;
  return [
    { ...held, name: 'hawser status --help', argv: typed('status', '--help') },
    { ...held, name: 'all four answer' },
    ...parts.map((part) => ({ ...held, name: `${part} is dead`, trouble: [part] })),
    ...parts.map((part): Condition => {
      return { ...held, name: `${part} hangs`, trouble: [part], signal: 'SIGSTOP', isHeld: false };
    }),
    { ...held, name: 'all four are dead', trouble: parts },
  ];
}

async function measure(scene: Scene, node: BedNode, condition: Condition, rounds: number): Promise<Spread> {
  const stack = scene.stack as HawserStack;
  const ids = condition.trouble.flatMap((part) => stack.part(node, part)?.id ?? []);
  sendSignal(ids, condition.signal);
  if (condition.signal === 'SIGKILL') await waitForEnd(ids);
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const fromMs = monotonicMs();
    const { stdout } = await runCommand(condition.argv, { timeoutMs: PATIENCE_MS });
    times.push(monotonicMs() - fromMs);
    if (stdout === '') throw new Error(`Cannot measure "${condition.name}": it said nothing`);
  }
  sendSignal(ids, 'SIGCONT');
  await stack.start(node);
  await waitFor(`${node.name} to take part again`, () => takesPart(node), PATIENCE_MS);
  await scene.rested();
  const spread = spreadOf(times);
  if (spread === null) throw new Error('Cannot measure in no rounds');
  return spread;
}

const usage = `usage: npm run bench:status [-- --json FILE] [--rounds N]
  --json    also write the figures to this file
  --rounds  of each condition (default: 15)`;
const values = readBenchOptions(usage, {
  json: { type: 'string' },
  rounds: { type: 'string', default: '15' },
});
ensureBuilt();
const machine = await describeMachine();
await using scene = await openScene('hawser');
const holder = await scene.rested();
const node = scene.members.find((each) => each !== holder);
if (node === undefined) throw new Error('Cannot find a node that does not hold the VIP');
console.log(formatMachine(machine));
console.log(`\n${'hawser status on one of three nodes, ms'.padEnd(32)}   median      min      max   times`);
const results: Record<string, Spread> = {};
const missed: string[] = [];
for (const condition of conditionsOf(node)) {
  const spread = await measure(scene, node, condition, Number(values.rounds));
  results[condition.name] = spread;
  if (condition.isHeld && spread.median > TARGET_MS) missed.push(condition.name);
  const figures = [spread.median, spread.min, spread.max, spread.count];
  console.log(`${condition.name.padEnd(32)}${figures.map((each) => each.toFixed(0).padStart(9)).join('')}`);
}
console.log(
  missed.length === 0
    ? `every median within ${TARGET_MS} ms`
    : `median over ${TARGET_MS} ms: ${missed.join(', ')}`,
);
if (values.json !== undefined)
  writeFileSync(
    values.json,
    `${JSON.stringify({ results, targetMs: TARGET_MS, machine, quick: Number(values.rounds) < 10 }, null, 2)}\n`,
  );
process.exitCode = missed.length === 0 ? 0 : 1;
