/** A program that measures how long HAProxy takes to serve a changed Node, and the monitor's memory use. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readProcess } from '../../../src/engine/system/process/processes.ts';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { createCluster } from '../../helpers/cluster.ts';
import { createLoadBalancer } from '../../helpers/load-balancer.ts';
import { memoryOf } from '../../helpers/process-tree.ts';
import { readBenchOptions } from '../options.ts';
import { type Spread, spreadOf } from '../reload/figures.ts';
import { describeMachine, formatMachine } from '../reload/machine.ts';

/** Measured with the Go monitor against a real API server, see reload-baseline.md in this project's references. */
const SHELL_POD_MS = [16_200, 15_900, 18_000, 17_100];

const usage = `usage: npm run bench:change [-- --json FILE] [--rounds N] [--settle DURATION]
  --json    also write the figures to this file
  --rounds  changes of a Node (default: 40)
  --settle  the monitor's --settle (default: 500ms)`;
const values = readBenchOptions(usage, {
  json: { type: 'string' },
  rounds: { type: 'string', default: '40' },
  settle: { type: 'string', default: '500ms' },
});
const toggle = fileURLToPath(new URL('./toggle-node.ts', import.meta.url));

const machine = await describeMachine();
await using cluster = await createCluster(4);
const balancer = createLoadBalancer(cluster, cluster.kubeconfig('https://10.77.0.11:6443'));
await balancer.startSupervisor();
const monitor = balancer.startMonitor('--api-vip', cluster.vip, '--settle', values.settle);
const { certFile, keyFile } = cluster.serving;
const addresses = cluster.nodes.map(({ address }) => address);
const result = await runCommand(
  [
    ...cluster.namespace.prefix,
    process.execPath,
    toggle,
    values.rounds,
    certFile,
    keyFile,
    `${cluster.dir}/run/haproxy.sock`,
    ...addresses,
  ],
  { timeoutMs: 300_000 },
);
if (result.exitCode !== 0) throw new Error(result.stderr);
const changes: unknown = JSON.parse(result.stdout);
if (!Array.isArray(changes)) throw new Error('Cannot read the measurement: expected a list of times');
const hawser = spreadOf(changes.map(Number));
const shell = spreadOf(SHELL_POD_MS);
const found = monitor.pid === undefined ? undefined : readProcess(monitor.pid);
const memory = memoryOf(found === undefined ? [] : [found]);

console.log(formatMachine(machine));
console.log(
  '\nNode changed at the API -> served by HAProxy, ms        median      min      max   times   target',
);
console.log(
  `${`hawser monitor + supervisor (--settle ${values.settle})`.padEnd(54)}${columns(hawser)}   median < 1000`,
);
console.log("the shell pod's monitor (recorded, polls 3 x 6 s)".padEnd(54) + columns(shell));
console.log(
  '\nmemory of the monitor after the run: ' +
    `${megabytes(memory.rss)} resident, ${megabytes(memory.anonymous)} anonymous (target: at most 90 MB resident)`,
);
if (values.json !== undefined) {
  const quick = Number(values.rounds) < 20;
  const report = {
    change: { hawser, shell, target: { medianMs: 1_000 } },
    monitorMemoryKb: memory,
    machine,
    quick,
  };
  writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
}

function columns(spread: Spread | null): string {
  const numbers = spread === null ? [] : [spread.median, spread.min, spread.max, spread.count];
  return numbers.map((value) => value.toFixed(0).padStart(9)).join('');
}

function megabytes(kb: number): string {
  return `${(kb / 1024).toFixed(1)} MB`;
}
