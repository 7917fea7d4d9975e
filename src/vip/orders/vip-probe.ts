import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { codeOf } from '../../engine/system/errors.ts';
import { urlHost } from '../../engine/system/network/address-text.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import { patientTimer } from '../../engine/system/time/patient-timeout.ts';
import type { OrderReport } from './order-report.ts';

export interface ProbePlan {
  readonly host: string;
  readonly port: number;
  /** `https`: a GET request, for which any HTTP response is a success. `tcp`: a connection. */
  readonly how: 'https' | 'tcp';
  readonly everyMs: number;
  readonly timeoutMs: number;
}

interface VipProbe {
  /** The completed attempts. */
  readonly attempts: () => readonly Attempt[];
  /** Starts no further attempt, and resolves once all have ended. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts a client of the VIP that opens a new connection every `everyMs`, even while earlier ones are pending. It does not verify
 * certificates, because it sends no secret and only needs a response.
 */
export function startVipProbe(plan: ProbePlan): VipProbe {
  const ended: Attempt[] = [];
  const running = new Set<Promise<void>>();
  let dueMs = monotonicMs();
  const tick = (): void => {
    const nowMs = monotonicMs();
    if (nowMs < dueMs) return;
    // Attempts missed while the machine was stopped are not made up for in a burst.
    dueMs = Math.max(dueMs + plan.everyMs, nowMs);
    const attempt = tryOnce(plan).then((failure) => {
      ended.push({ startedMs: nowMs, endedMs: monotonicMs(), failure });
      running.delete(attempt);
    });
    running.add(attempt);
  };
  const timer = setInterval(tick, 1);
  return {
    attempts: () => ended,
    stop: async () => {
      clearInterval(timer);
      await Promise.all(running);
    },
  };
}

/** Resolves with null for an answer, else with the error. */
function tryOnce({ host, port, how, timeoutMs }: ProbePlan): Promise<string | null> {
  return new Promise((resolve) => {
    const socket: Socket =
      how === 'tcp' ? connectPlain({ host, port }) : connectTls({ host, port, rejectUnauthorized: false });
    let failure: string | null = 'closed';
    const end = (result: string | null): void => {
      if (socket.destroyed) return;
      failure = result;
      socket.destroy();
    };
    const timer = patientTimer(timeoutMs, () => end('timeout'));
    socket.on('error', (error) => {
      failure = codeOf(error) ?? 'error';
    });
    if (how === 'tcp') socket.once('connect', () => end(null));
    else socket.once('secureConnect', () => socket.write(requestFor(host)));
    socket.once('data', (data) => end(data.toString('latin1').startsWith('HTTP/1.') ? null : 'no HTTP'));
    socket.once('close', () => {
      timer[Symbol.dispose]();
      resolve(failure);
    });
  });
}

function requestFor(host: string): string {
  return `GET /readyz HTTP/1.1\r\nHost: ${urlHost(host)}\r\nUser-Agent: hawser-move-vip\r\nConnection: close\r\n\r\n`;
}

/** One connection to the VIP and its result. Times are monotonic milliseconds. */
export interface Attempt {
  readonly startedMs: number;
  readonly endedMs: number;
  /** Null if the VIP answered, else the error: `ECONNRESET`, `timeout`. */
  readonly failure: string | null;
}

/**
 * Summarises the attempts, which may be in any order. A gap is the time from one answer to the next, so it is never shorter than the
 * interval of the attempts. The last gap is the time from the last answer to the start of the last attempt.
 */
export function probeFigures(
  attempts: readonly Attempt[],
): Pick<NonNullable<OrderReport['probe']>, 'attempts' | 'failed' | 'longestGapMs'> {
  const answersMs = attempts
    .filter(({ failure }) => failure === null)
    .map(({ endedMs }) => endedMs)
    .sort((a, b) => a - b);
  const lastMs = attempts.reduce((latest, { startedMs }) => Math.max(latest, startedMs), 0);
  const gapsMs = answersMs.map((ms, index) => (answersMs[index + 1] ?? Math.max(ms, lastMs)) - ms);
  return {
    attempts: attempts.length,
    failed: attempts.length - answersMs.length,
    longestGapMs: gapsMs.length === 0 ? null : Math.round(Math.max(...gapsMs)),
  };
}
