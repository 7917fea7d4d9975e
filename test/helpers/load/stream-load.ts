import { connect } from 'node:net';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import type { LoadEvent, LoadPlan, LoadSummary } from './load-events.ts';

/** Before a stream that could not be opened is retried: a dead load balancer must not be hammered. */
const REOPEN_AFTER_REFUSAL_MS = 100;
/**
 * A stream sends its next byte after a second. Kubernetes clients ping their connections, because one to an address
 * that has moved no longer answers, not even that it is closed.
 */
const SILENCE_MS = 10_000;

/**
 * Holds `plan.streams` endless answers open, as watches and `logs -f` do. A stream that had begun and was closed by the
 * other side, or fell silent, is a cut; all are reopened. Returns its counts when `signal` aborts.
 */
export function runStreams(
  plan: LoadPlan,
  emit: (event: LoadEvent) => void,
  signal: AbortSignal,
): Promise<LoadSummary['streams']> {
  const counts = { opened: 0, cut: 0, refused: 0, open: 0 };
  const openLater = (delayMs: number) => {
    const timer = setTimeout(open, delayMs);
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  };
  const open = () => {
    const begun = () => {
      counts.opened += 1;
      counts.open += 1;
    };
    openStream(plan, signal, begun, (openedAtMs) => {
      if (openedAtMs === undefined) {
        counts.refused += 1;
        return openLater(REOPEN_AFTER_REFUSAL_MS);
      }
      counts.open -= 1;
      counts.cut += 1;
      emit({ kind: 'cut', openedAtMs, atMs: monotonicMs() });
      return open();
    });
  };
  for (let index = 0; index < plan.streams; index += 1) openLater((index * plan.streamRampMs) / plan.streams);
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve({ ...counts })));
}

/** `ended` gets the time of the first byte, or undefined if none came. Neither is called after the abort. */
function openStream(
  plan: LoadPlan,
  signal: AbortSignal,
  begun: () => void,
  ended: (openedAtMs: number | undefined) => void,
): void {
  let openedAtMs: number | undefined;
  const socket = connect(plan);
  const giveUp = () => socket.destroy();
  signal.addEventListener('abort', giveUp, { once: true });
  socket.write(`GET /stream HTTP/1.1\r\nHost: ${plan.hostHeader ?? plan.host}\r\n\r\n`);
  socket.once('data', () => {
    openedAtMs = monotonicMs();
    begun();
  });
  // Keeps the stream flowing and its errors from being thrown: each is followed by a close.
  socket.on('data', () => {});
  socket.setTimeout(SILENCE_MS, giveUp);
  socket.on('error', () => {});
  socket.once('close', () => {
    signal.removeEventListener('abort', giveUp);
    if (!signal.aborted) ended(openedAtMs);
  });
}
