import { signalProcess } from '../../../../src/engine/system/process/processes.ts';
import { monotonicMs } from '../../../../src/engine/system/time/monotonic-clock.ts';
import type { Load } from '../../../helpers/load/start-load.ts';
import type { ProcessKind } from '../../../helpers/process-tree.ts';
import { spreadOf } from '../figures.ts';
import { lostOf } from '../lost.ts';
import type { Bench, Scenario } from '../scenario.ts';

const PATIENCE_MS = 5_000;
/** Service counts as restored once nothing has been lost for this long. */
const CALM_MS = 1_000;

export const killWorker = killScenario('kill-worker', 'haproxy-worker');
export const killMaster = killScenario('kill-master', 'haproxy-master');

function killScenario(name: string, kind: ProcessKind): Scenario {
  return {
    name,
    about: `SIGKILL of the ${kind.replace('haproxy-', '')}, 200 new connections/s`,
    targets: {
      servedAgainMs: { kind: 'at-most', value: 500 },
      neverServedAgain: { kind: 'at-most', value: 0 },
    },
    run: async (bench) => {
      const trials: { readonly servedAgainMs: number | undefined; readonly lost: number }[] = [];
      // A fresh host each time, because a supervisor may back off before the next restart.
      while (trials.length < (bench.quick ? 1 : 5)) trials.push(await killOnce(bench, kind));
      const times = trials.flatMap(({ servedAgainMs }) =>
        servedAgainMs === undefined ? [] : [servedAgainMs],
      );
      return {
        servedAgainMs: spreadOf(times),
        neverServedAgain: trials.length - times.length,
        lost: spreadOf(trials.map(({ lost }) => lost)),
      };
    },
  };
}

async function killOnce(bench: Bench, kind: ProcessKind) {
  await using host = await bench.openHost();
  const load = await host.startLoad({ ratePerSecond: 200, streams: 0, streamRampMs: 0 });
  await bench.pause(1_500);
  const victim = host.processes().find((each) => each.kind === kind);
  if (victim === undefined) throw new Error(`Cannot kill the ${kind}: none is running, expected one`);
  const killedAtMs = monotonicMs();
  signalProcess(victim.id, 'SIGKILL');
  const calmAgain = () => {
    const lastTroubleAtMs = lastEventAtMs(load) ?? killedAtMs;
    return monotonicMs() - lastTroubleAtMs > CALM_MS;
  };
  while (!calmAgain() && monotonicMs() - killedAtMs < PATIENCE_MS + CALM_MS) await bench.pause(20);
  const servedAgainMs = calmAgain() ? (lastEventAtMs(load) ?? killedAtMs) - killedAtMs : undefined;
  return { servedAgainMs, lost: lostOf(await load.stop()) };
}

/** The time of the last lost connection, or of the first good one after it. */
function lastEventAtMs(load: Load): number | undefined {
  return load.events().findLast((event) => event.kind === 'lost' || event.kind === 'ok-again')?.atMs;
}
