import { monotonicMs } from '../../../../src/engine/system/time/monotonic-clock.ts';
import type { LoadEvent, LoadSummary } from '../../../helpers/load/load-events.ts';
import { countKinds, memoryOf } from '../../../helpers/process-tree.ts';
import { type Figures, mostWithin, spreadOf } from '../figures.ts';
import type { Host } from '../host.ts';
import { FORCE_DELETE_MS } from '../layout.ts';
import { lostOf } from '../lost.ts';
import { isServedWithin, servingMs } from '../newest-served.ts';
import { watchProcesses } from '../process-watch.ts';
import type { Bench, Scenario } from '../scenario.ts';

/** Slightly above the promised rate: the generator counts the connections it started, and may start the last ones late. */
const LOAD = { ratePerSecond: 540, streams: 60, streamRampMs: 900 };
const EVERY_MS = 1_000;

export const steady: Scenario = {
  name: 'steady',
  about: 'a reload a second under >= 500 new connections/s and 60 open streams',
  targets: {
    connectionsPerSecond: { kind: 'at-least', value: 500 },
    lost: { kind: 'at-most', value: 0 },
    messagesNeverServed: { kind: 'at-most', value: 0 },
    haproxyLeft: { kind: 'at-most', value: 2 },
    supervisorRssMb: { kind: 'at-most', value: 60 },
    supervisorAnonymousMb: { kind: 'at-most', value: 16 },
  },
  run: async (bench) => {
    await using host = await bench.openHost();
    const load = await host.startLoad(LOAD);
    const watch = watchProcesses(host.processes, 500);
    await bench.pause(2_000);
    const sent = await sendReloads(bench, host, bench.quick ? 10 : 100);
    await isServedWithin(host.prober, sent.length, 10_000);
    await bench.pause(FORCE_DELETE_MS + 3_000);
    const summary = await load.stop();
    const peaks = await watch.stop();
    return {
      reloads: sent.length,
      ...connectionFigures(summary),
      ...servingFigures(host, sent),
      ...streamFigures(load.events()),
      peakMasters: peaks.masters,
      peakWorkers: peaks.workers,
      peakOtherProcesses: peaks.others,
      peakPssMb: peaks.pssMb,
      ...figuresAfter(host),
      loadLateMs: summary.latestStartMs,
      loadProcessorPercent: (summary.cpuMs * 100) / (summary.endedAtMs - summary.startedAtMs),
    };
  },
};

function connectionFigures(summary: LoadSummary): Figures {
  return {
    connections: summary.connections,
    connectionsPerSecond: (summary.connections * 1_000) / (summary.endedAtMs - summary.startedAtMs),
    lost: lostOf(summary),
    slowerThan500Ms: summary.slow,
  };
}

function servingFigures(host: Host, sent: readonly Sent[]): Figures {
  const times = sent.map((each) => servingMs(host.prober, each, sent.length));
  return {
    messageToServingMs: spreadOf(times.filter((time) => time !== undefined)),
    messagesNeverServed: times.filter((time) => time === undefined).length,
  };
}

interface Sent {
  readonly generation: number;
  readonly sentAtMs: number;
}

async function sendReloads(bench: Bench, host: Host, count: number): Promise<readonly Sent[]> {
  const sent: Sent[] = [];
  const beganAtMs = monotonicMs();
  for (let generation = 1; generation <= count; generation += 1) {
    host.install(generation);
    const { sentAtMs } = host.reload();
    sent.push({ generation, sentAtMs });
    await bench.pause(beganAtMs + generation * EVERY_MS - monotonicMs());
  }
  return sent;
}

function streamFigures(events: readonly LoadEvent[]): Figures {
  const cuts = events.flatMap((event) => (event.kind === 'cut' ? [event.atMs] : []));
  return { streamsCut: cuts.length, mostCutsIn100Ms: mostWithin(cuts, 100) };
}

/** By now nothing should be left of older generations. */
function figuresAfter(host: Host): Figures {
  const processes = host.processes();
  const counts = countKinds(processes);
  const supervisor = processes.filter(({ kind }) => kind === 'node' || kind === 'other');
  const memory = memoryOf(supervisor);
  return {
    haproxyLeft: counts['haproxy-master'] + counts['haproxy-worker'],
    otherProcessesLeft: supervisor.length,
    supervisorRssMb: memory.rss / 1_024,
    supervisorPssMb: memory.pss / 1_024,
    supervisorAnonymousMb: memory.anonymous / 1_024,
  };
}
