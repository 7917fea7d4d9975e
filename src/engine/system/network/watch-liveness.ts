import { connect } from 'node:net';
import { monotonicMs } from '../time/monotonic-clock.ts';
import { sleep } from '../time/sleep.ts';
import { onceConnected } from './probe-tcp.ts';

/**
 * `serving`: the server accepts and answers. `dead`: nothing listens. `hung`: the server listens but does not answer. `unready`: it answers with an
 * error. `unknown`: the first poll has not ended.
 */
export type Liveness = 'unknown' | 'serving' | 'dead' | 'hung' | 'unready';

/** The result of one poll: a good answer, an error, or a timeout. */
export type Poll = 'good' | 'bad' | 'silent';

interface LivenessOptions {
  readonly host: string;
  readonly port: number;
  /** Polls once, with the timeout `pollTimeoutMs`. Never rejects. */
  readonly ask: (signal: AbortSignal) => Promise<Poll>;
  readonly pollEveryMs: number;
  readonly pollTimeoutMs: number;
  /** Called only when the liveness changes. */
  readonly onChange: (liveness: Liveness) => void;
  readonly signal: AbortSignal;
}

/** Pause between connection attempts while the server is dead. */
const RECONNECT_MS = 50;
/** Two consecutive failed polls decide. After a timeout the second poll follows at once, so a decision takes at most one pause and two timeouts. */
const POLLS_TO_FAIL = 2;
/** If a poll's own timeout fired this late, the poll proves nothing: this process had no CPU to read an answer. */
const STARVED_MS = 50;
/** After this many starved polls in a row they count again: permanent starvation must not hide a hang. */
const MOST_STARVED_POLLS = 10;

/**
 * Watches a server of this node until `signal` aborts. An idle connection reveals the server's death within a millisecond, because the kernel closes
 * it with the process. A reload or the server's idle timeout also closes it; an immediate reconnect tells them apart. A hung process keeps its
 * connections, so the server is polled too.
 */
export async function watchLiveness(options: LivenessOptions): Promise<void> {
  const view = createView(options.onChange);
  await Promise.all([followConnection(options, view), pollReadiness(options, view)]);
}

export interface View {
  readonly connected: (isConnected: boolean) => void;
  readonly polled: (poll: Poll) => void;
  /** Whether one poll has failed, so that the next one decides. */
  readonly isSuspect: () => boolean;
}

/** Combines the results of both watchers. A failed connection outranks the polls. */
export function createView(onChange: (liveness: Liveness) => void): View {
  let reported: Liveness = 'unknown';
  let isConnected = false;
  let failures = 0;
  let hasAnswered = false;
  let last: Poll = 'silent';
  const report = (): void => {
    const failed = failures >= POLLS_TO_FAIL ? last : undefined;
    const now = livenessOf({ isConnected, failed, hasAnswered });
    if (now === reported || now === 'unknown') return;
    reported = now;
    onChange(now);
  };
  return {
    connected: (value) => {
      isConnected = value;
      report();
    },
    polled: (poll) => {
      failures = poll === 'good' ? 0 : failures + 1;
      hasAnswered ||= poll === 'good';
      last = poll;
      report();
    },
    isSuspect: () => isConnected && failures === 1,
  };
}

function livenessOf(seen: {
  readonly isConnected: boolean;
  /** The last poll's failure, after enough consecutive failures. */
  readonly failed: Poll | undefined;
  readonly hasAnswered: boolean;
}): Liveness {
  if (!seen.isConnected) return 'dead';
  if (seen.failed !== undefined) return seen.failed === 'bad' ? 'unready' : 'hung';
  return seen.hasAnswered ? 'serving' : 'unknown';
}

async function followConnection({ port, host, signal }: LivenessOptions, view: View): Promise<void> {
  while (!signal.aborted) {
    const startedMs = monotonicMs();
    const wasConnected = await holdConnection({ port, host }, view, signal);
    // Reconnect at once after a close: only a failed attempt is a death.
    const wasHeld = wasConnected && monotonicMs() - startedMs >= RECONNECT_MS;
    if (wasHeld || signal.aborted) continue;
    // A server that closes every connection is alive, but must not be reconnected to without a pause.
    if (!wasConnected) view.connected(false);
    await sleep(RECONNECT_MS, signal);
  }
}

/** Resolves when the connection is closed or could not be opened. Returns whether it was established. */
function holdConnection(
  address: { readonly port: number; readonly host: string },
  view: View,
  signal: AbortSignal,
): Promise<boolean> {
  return new Promise((resolve) => {
    let wasConnected = false;
    const socket = connect(address);
    const drop = (): void => void socket.destroy();
    signal.addEventListener('abort', drop, { once: true });
    onceConnected(socket, () => {
      wasConnected = true;
      view.connected(true);
    });
    // A message on an idle connection (408) is read only to notice its end.
    socket.resume();
    socket.once('error', drop);
    socket.once('close', () => {
      signal.removeEventListener('abort', drop);
      resolve(wasConnected);
    });
  });
}

/** Returns a function that says whether a poll of this duration proves anything. It counts starved polls. */
export function createPollJudge(pollTimeoutMs: number): (poll: Poll, tookMs: number) => boolean {
  let starvedPolls = 0;
  return (poll, tookMs) => {
    const isStarved = poll !== 'good' && tookMs >= pollTimeoutMs + STARVED_MS;
    starvedPolls = isStarved ? starvedPolls + 1 : 0;
    return starvedPolls === 0 || starvedPolls > MOST_STARVED_POLLS;
  };
}

async function pollReadiness(options: LivenessOptions, view: View): Promise<void> {
  const { ask, pollEveryMs, pollTimeoutMs, signal } = options;
  const isProof = createPollJudge(pollTimeoutMs);
  while (!signal.aborted) {
    const startedMs = monotonicMs();
    const poll = await ask(signal);
    if (signal.aborted) return;
    if (!isProof(poll, monotonicMs() - startedMs)) continue;
    view.polled(poll);
    // After a timeout enough time has passed. An error or a refusal arrives at once, so wait before the next poll.
    const wasSilent = poll !== 'good' && monotonicMs() - startedMs >= pollEveryMs;
    if (wasSilent && view.isSuspect()) continue;
    await sleep(pollEveryMs, signal);
  }
}
