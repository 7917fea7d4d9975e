import { monotonicMs } from '../../../../src/engine/system/time/monotonic-clock.ts';
import { countKinds } from '../../../helpers/process-tree.ts';
import { generationText } from '../configuration.ts';
import type { Host } from '../host.ts';
import { FORCE_DELETE_MS } from '../layout.ts';
import { lostOf } from '../lost.ts';
import { isServedWithin, servingMs } from '../newest-served.ts';
import { watchProcesses } from '../process-watch.ts';
import type { Bench, Scenario } from '../scenario.ts';

const MESSAGES = 20;
/** Node's timers are up to a millisecond late, so 20 gaps still take less than 50 ms. */
const GAP_MS = 2;

export const burst: Scenario = {
  name: 'burst',
  about: '20 messages within 50 ms, each with a newer file, under 300 new connections/s',
  targets: {
    lost: { kind: 'at-most', value: 0 },
    generationsStarted: { kind: 'at-most', value: 2 },
    onlyNewestServedAfter: { kind: 'is', value: true },
    haproxyLeft: { kind: 'at-most', value: 2 },
  },
  run: async (bench) => {
    await using host = await bench.openHost();
    const load = await host.startLoad({ ratePerSecond: 300, streams: 10, streamRampMs: 500 });
    await bench.pause(1_000);
    const watch = watchProcesses(host.processes, 50);
    const { firstAtMs, lastAtMs } = await sendBurst(bench, host);
    await isServedWithin(host.prober, MESSAGES, 10_000);
    await bench.pause(FORCE_DELETE_MS + 3_000);
    const peaks = await watch.stop();
    const counts = countKinds(host.processes());
    const onlyNewestServedAfter = await servesOnly(bench, host, generationText(MESSAGES));
    const summary = await load.stop();
    return {
      sentWithinMs: lastAtMs - firstAtMs,
      connections: summary.connections,
      lost: lostOf(summary),
      slowerThan500Ms: summary.slow,
      generationsStarted: peaks.mastersSeen - 1,
      peakHaproxy: peaks.masters + peaks.workers,
      peakOtherProcesses: peaks.others,
      newestServedMs: servingMs(host.prober, { generation: MESSAGES, sentAtMs: lastAtMs }, MESSAGES) ?? null,
      onlyNewestServedAfter,
      haproxyLeft: counts['haproxy-master'] + counts['haproxy-worker'],
    };
  },
};

async function sendBurst(bench: Bench, host: Host): Promise<{ firstAtMs: number; lastAtMs: number }> {
  const firstAtMs = monotonicMs();
  let lastAtMs = firstAtMs;
  for (let generation = 1; generation <= MESSAGES; generation += 1) {
    host.install(generation);
    lastAtMs = host.reload().sentAtMs;
    const restMs = firstAtMs + generation * GAP_MS - monotonicMs();
    if (restMs > 0) await bench.pause(restMs);
  }
  return { firstAtMs, lastAtMs };
}

/** About 150 answers have to be the same. Then no process that serves an older file still has the port. */
async function servesOnly(bench: Bench, host: Host, text: string): Promise<boolean> {
  await using prober = await host.startProber();
  await bench.pause(1_000);
  const values = prober.events().flatMap((event) => (event.kind === 'served' ? [event.value] : []));
  return values.length === 1 && values[0] === text;
}
