/** A program that measures the CPU time and memory that 5,000 nodes and 100 heartbeats a second cost a monitor. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod/mini';
import { readProcess } from '../../../src/engine/system/process/processes.ts';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import { type Cluster, createCluster } from '../../helpers/cluster.ts';
import { readJsonLines } from '../../helpers/load/json-lines.ts';
import { createLoadBalancer } from '../../helpers/load-balancer.ts';
import { memoryOf } from '../../helpers/process-tree.ts';
import { ensureBuilt } from '../../helpers/supervisor-build.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { isFlat, type Sample, slopeOf } from '../../soak/slope.ts';
import { cpuMsOf } from '../cpu-time.ts';
import { readBenchOptions } from '../options.ts';
import { describeMachine, formatMachine } from '../reload/machine.ts';
import { formatFigure } from '../reload/table.ts';

const TARGET_CORE_PERCENT = 2;
const PATIENCE_MS = 120_000;
const SAMPLE_EVERY_MS = 1_000;
const BLOCK_MS = 5_000;
/** Longer than any measurement. */
const NO_LISTS_MS = 3_600_000;

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** The Node flags of a monitor from bin/hawser, except `--lite-mode`, with which Node cannot run TypeScript. */
function monitorFlags(): readonly string[] {
  const script = readFileSync(new URL('../../../bin/hawser', import.meta.url), 'utf8');
  const flags = /^lean='(.*)'$/m.exec(script)?.[1];
  if (flags === undefined) throw new Error("Cannot find a monitor's flags: bin/hawser has no line lean='…'");
  return flags.split(' ');
}

const programOf = (name: string): string => join(import.meta.dirname, name);

/** Starts a program inside the namespace that exits at the end of its input, and collects the lines it prints. */
function startInside(cluster: Cluster, program: readonly string[]) {
  const [file, ...before] = cluster.namespace.prefix;
  const child: Child = spawn(file, [...before, process.execPath, ...program], {
    // The same as in bin/hawser.
    env: { ...process.env, MALLOC_ARENA_MAX: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines: unknown[] = [];
  readJsonLines(child.stdout, (line) => lines.push(line));
  const begun = () => waitFor(`${program.join(' ')} to begin`, () => lines.length > 0, PATIENCE_MS);
  const end = async (): Promise<unknown> => {
    const closed = once(child, 'close');
    child.stdin.end();
    await closed;
    return lines[1];
  };
  return { pid: child.pid ?? 0, begun, end };
}

/** Measures one process that has finished starting. */
async function watch(pid: number, seconds: number) {
  const found = readProcess(pid);
  if (found === undefined) throw new Error(`Cannot measure process ${pid}: it has ended`);
  const anonymousMb = () => memoryOf([found]).anonymous / 1_024;
  const fromMs = monotonicMs();
  const cpuBefore = cpuMsOf(pid);
  const memory: Sample[] = [];
  while (monotonicMs() - fromMs < seconds * 1_000) {
    await pause(SAMPLE_EVERY_MS);
    memory.push({ atMs: monotonicMs(), value: anonymousMb() });
  }
  const slope = slopeOf(memory, BLOCK_MS);
  return {
    corePercent: ((cpuMsOf(pid) - cpuBefore) * 100) / (monotonicMs() - fromMs),
    anonymousMb: anonymousMb(),
    growthMbPerHour: slope?.perHour ?? null,
    growthErrorMbPerHour: slope?.error ?? null,
    isFlat: slope === undefined ? null : isFlat(slope, 0),
  };
}

const usage = `usage: npm run bench:scale [-- --json FILE] [--nodes N] [--rate N] [--seconds N] [--warm-seconds N]
  --json          also write the figures to this file
  --nodes         Nodes in the API, of which three matter (default: 5000)
  --rate          heartbeats a second (default: 100)
  --seconds       how long it is measured (default: 120)
  --warm-seconds  how long before that the monitor runs (default: 20)`;
const values = readBenchOptions(usage, {
  json: { type: 'string' },
  nodes: { type: 'string', default: '5000' },
  rate: { type: 'string', default: '100' },
  seconds: { type: 'string', default: '120' },
  'warm-seconds': { type: 'string', default: '20' },
});
const seconds = Number(values.seconds);
const warmMs = Number(values['warm-seconds']) * 1_000;
ensureBuilt();
const machine = await describeMachine();
console.log(formatMachine(machine));
await using cluster = await createCluster(3);
const { certFile, keyFile } = cluster.serving;
const addresses = cluster.nodes.map(({ address }) => address);
const api = startInside(cluster, [
  programOf('heartbeats.ts'),
  values.nodes,
  values.rate,
  certFile,
  keyFile,
  ...addresses,
]);
await api.begun();
const kubeconfig = cluster.kubeconfig(`https://${addresses[0]}:6443`);
console.log(`\n${values.nodes} nodes, ${values.rate} heartbeats/s, for ${seconds} s each`);

const balancer = createLoadBalancer(cluster, kubeconfig);
await balancer.startSupervisor();
const monitor = async (interval: readonly string[]) => {
  const child = balancer.startMonitor('--api-vip', cluster.vip, ...interval);
  await balancer.configured(...cluster.nodes.map(({ name }) => name));
  await pause(warmMs);
  const figures = await watch(child.pid ?? 0, seconds);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
  return figures;
};
const follower = async (checkIntervalMs: number) => {
  const flags = ['--kubeconfig', kubeconfig, '--check-interval', `${checkIntervalMs}`];
  const process = startInside(cluster, [...monitorFlags(), programOf('follower.ts'), ...flags]);
  await process.begun();
  await pause(warmMs);
  const figures = await watch(process.pid, seconds);
  await process.end();
  return figures;
};

const withLists = { nodes: await monitor([]), 'all-nodes': await follower(6_000) };
const watches = {
  nodes: await monitor(['--check-interval', `${NO_LISTS_MS}ms`]),
  'all-nodes': await follower(NO_LISTS_MS),
};
const heartbeats = z.parse(z.object({ beats: z.number(), perSecond: z.number() }), await api.end());
const results = {
  nodes: { ...withLists.nodes, watchPercent: watches.nodes.corePercent },
  'all-nodes': { ...withLists['all-nodes'], watchPercent: watches['all-nodes'].corePercent },
};
for (const [name, { corePercent, watchPercent, anonymousMb, growthMbPerHour, isFlat }] of Object.entries(
  results,
))
  console.log(
    `${name.padEnd(12)}${formatFigure(corePercent)} % of a core, ${formatFigure(watchPercent)} % without lists, ` +
      `${formatFigure(anonymousMb)} MB anonymous, ${formatFigure(growthMbPerHour)} MB/h, flat: ${formatFigure(isFlat)}`,
  );
console.log(`${heartbeats.perSecond.toFixed(1)} heartbeats/s were sent`);
const isMet = results.nodes.corePercent <= TARGET_CORE_PERCENT;
console.log(isMet ? 'every target met' : `over ${TARGET_CORE_PERCENT} % of a core`);
const sizes = { nodes: Number(values.nodes), rate: Number(values.rate), seconds };
if (values.json !== undefined)
  writeFileSync(
    values.json,
    `${JSON.stringify({ ...results, heartbeats, sizes, machine, quick: seconds < 60 }, null, 2)}\n`,
  );
process.exitCode = isMet ? 0 : 1;
