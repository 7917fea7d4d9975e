import type { Log } from '../../engine/system/log.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import type { ProxyDriver } from '../program.ts';
import { type Event, runningOf, type Serving, type State } from './state.ts';

const POLL_EVERY_MS = 500;
const COMPARE_EVERY_MS = 5_000;
/** A slow comparison runs so rarely that it uses at most this fraction of one CPU, however long it waits for one. */
const COST = 0.003;

/** Compares the running servers with the served configuration: once after each reload, then every five seconds. Manual changes are reverted. */
export function watchDrift(
  program: Pick<ProxyDriver, 'drift' | 'missingCommands'>,
  engine: {
    readonly state: () => State;
    readonly dispatch: (event: Event) => void;
    readonly log: Log;
  },
): { readonly stop: () => void } {
  let lastNumber = 0;
  let nextMs = 0;
  let busy = false;
  const compare = async (serving: Serving): Promise<void> => {
    const running = runningOf(serving);
    if (serving.number !== lastNumber) {
      const missing = await program.missingCommands(running);
      if (missing.length > 0) engine.log({ event: 'runtime-changes-unsupported', level: 'warn', missing });
      lastNumber = serving.number;
    }
    const { revision } = serving;
    if (revision === undefined) return;
    const before = process.cpuUsage();
    const drift = await program.drift(running, revision);
    const { user, system } = process.cpuUsage(before);
    nextMs = monotonicMs() + Math.max(COMPARE_EVERY_MS, (user + system) / 1_000 / COST);
    const { serving: now } = engine.state();
    // A change that was made meanwhile is not drift.
    if (drift === undefined || drift.changes.length === 0) return;
    if (now?.number !== serving.number || now.revision !== revision) return;
    engine.dispatch({
      kind: 'drifted',
      change: { from: revision, to: revision, changes: [...drift.changes] },
    });
  };
  const timer = setInterval(() => {
    const { serving, job, changing } = engine.state();
    if (busy || serving?.config !== 'live' || job !== undefined || changing !== undefined) return;
    if (serving.number === lastNumber && monotonicMs() < nextMs) return;
    busy = true;
    void compare(serving)
      .catch((error: unknown) =>
        engine.log({ event: 'internal-error', level: 'error', message: String(error) }),
      )
      .finally(() => {
        busy = false;
      });
  }, POLL_EVERY_MS);
  return { stop: () => clearInterval(timer) };
}
