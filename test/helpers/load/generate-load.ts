/** A program: generates the load of a plan (JSON, its only argument) until its stdin ends, then prints the summary. */
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import { runConnections } from './connection-load.ts';
import { type LoadEvent, loadPlanSchema } from './load-events.ts';
import { runProbe } from './probe-load.ts';
import { runStreams } from './stream-load.ts';

const plan = loadPlanSchema.parse(JSON.parse(process.argv[2] ?? '{}'));
const stop = new AbortController();
const emit = (event: LoadEvent) => process.stdout.write(`${JSON.stringify(event)}\n`);

// Ctrl-C in a terminal reaches the whole process group, but the bench decides when its load ends.
process.on('SIGINT', () => {});
// Ends with the process that started it, however that ends.
process.stdin.on('end', () => stop.abort()).resume();

const startedAtMs = monotonicMs();
emit({ kind: 'started', atMs: startedAtMs });
if (plan.probe !== null)
  void runProbe({ host: plan.host, port: plan.probe.port, gapMs: plan.probe.gapMs }, emit, stop.signal);
const [connections, streams] = await Promise.all([
  runConnections(plan, emit, stop.signal),
  runStreams(plan, emit, stop.signal),
]);
const { user, system } = process.cpuUsage();
emit({
  kind: 'summary',
  startedAtMs,
  endedAtMs: monotonicMs(),
  ...connections,
  streams,
  cpuMs: (user + system) / 1_000,
});
