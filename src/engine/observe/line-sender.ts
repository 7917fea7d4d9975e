import { connect } from 'node:net';
import { codeOf, messageOf } from '../system/errors.ts';
import { hostPort } from '../system/network/address-text.ts';
import { retryPauseMs } from '../system/time/retry.ts';
import { createWake } from '../system/time/wake.ts';

/** The receiver: a TCP server that reads lines until the connection is closed. */
export interface LineTarget {
  readonly host: string;
  readonly port: number;
}

interface LineSenderOptions {
  /** Undefined while there is no target. */
  readonly target: () => LineTarget | undefined;
  /** The limit of queued lines. The oldest lines beyond it are dropped. */
  readonly maxLines: number;
  readonly onSent: (lines: number) => void;
  readonly onDropped: (lines: number) => void;
  /** Called with the reason when lines cannot be sent, and with undefined when they are. */
  readonly onTrouble: (message: string | undefined) => void;
}

const IDLE_TIMEOUT_MS = 5_000;
const RETRY = { firstMs: 1_000, longestMs: 60_000 };
/** Pause while there is nothing to send. */
const IDLE_PAUSE_MS = 60_000;

/** Sends each batch of lines over its own connection, with backoff after a failure. A failed batch is sent again, so a line may arrive twice. */
export function createLineSender(options: LineSenderOptions) {
  const { target, maxLines, onSent, onDropped, onTrouble } = options;
  const wake = createWake();
  let waiting: readonly string[] = [];
  const keep = (lines: readonly string[]): void => {
    const over = Math.max(0, lines.length - maxLines);
    waiting = lines.slice(over);
    if (over > 0) onDropped(over);
  };
  const sendBatch = async (to: LineTarget, signal: AbortSignal): Promise<boolean> => {
    const batch = waiting;
    waiting = [];
    const trouble = await deliver(to, batch, signal);
    onTrouble(trouble);
    if (trouble === undefined) onSent(batch.length);
    else keep([...batch, ...waiting]);
    return trouble === undefined;
  };
  return {
    /** Queues lines without waiting. */
    send: (lines: readonly string[]): void => {
      keep([...waiting, ...lines]);
      wake.poke();
    },
    /** Sends queued lines until `signal` aborts; never rejects. */
    run: async (signal: AbortSignal): Promise<void> => {
      let failures = 0;
      let retryAtMs = 0;
      while (!signal.aborted) {
        await wake.sleep(failures === 0 ? IDLE_PAUSE_MS : Math.max(1, retryAtMs - performance.now()), signal);
        const to = target();
        // Without a target there is nothing to retry, and a new target is tried at once.
        if (to === undefined) failures = 0;
        if (signal.aborted || to === undefined || waiting.length === 0) continue;
        if (performance.now() < retryAtMs) continue;
        failures = (await sendBatch(to, signal)) ? 0 : failures + 1;
        retryAtMs = performance.now() + retryPauseMs(failures, RETRY);
      }
    },
  };
}

/** Resolves with the error, or with undefined once the peer has received all lines and closed the connection or is silent. */
function deliver(to: LineTarget, lines: readonly string[], signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(to.port, to.host);
    const settle = (what: string | undefined): void => {
      signal.removeEventListener('abort', stop);
      socket.destroy();
      resolve(what && `Cannot send lines to "${hostPort(to)}": ${what}, expected a server that accepts them`);
    };
    const stop = (): void => settle('it was asked to stop');
    signal.addEventListener('abort', stop, { once: true });
    socket.setTimeout(IDLE_TIMEOUT_MS, () =>
      settle(socket.writableFinished ? undefined : `it accepted nothing for ${IDLE_TIMEOUT_MS} ms`),
    );
    socket.once('connect', () => socket.end(lines.map((line) => `${line}\n`).join('')));
    socket.on('error', (error) => settle(codeOf(error) ?? messageOf(error)));
    socket.once('close', () => settle(socket.writableFinished ? undefined : 'it closed the connection'));
    // The peer answers invalid input. The answer is ignored.
    socket.resume();
  });
}
