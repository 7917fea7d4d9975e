import type { CheckOutcome, ConfigurationCheck } from '../engine/config/check.ts';
import type { Answer } from '../engine/control/answer.ts';
import { type RequestOutcome, request } from '../engine/control/request.ts';
import { monotonicMs } from '../engine/system/time/monotonic-clock.ts';
import { sleep } from '../engine/system/time/sleep.ts';

interface CheckTiming {
  /** How long to wait for a supervisor that is starting. */
  readonly waitMs: number;
  /** How long to wait for the answer. The supervisor takes at most 20 s, after another check of at most 20 s. */
  readonly answerMs: number;
}

const defaultTiming: CheckTiming = { waitMs: 5_000, answerMs: 45_000 };
const RETRY_MS = 250;

/** A hostile container must not fill logs and Events with its answers. */
const MAX_MESSAGE_CHARACTERS = 500;
const MAX_DETAIL_CHARACTERS = 4_000;

/**
 * Returns a check that lets the supervisor validate the candidate. HAProxy runs code while it parses (`lua-load`), so a configuration from a tenant
 * or an operator must be parsed in HAProxy's container, not in this one, which has credentials. No path is sent: the supervisor has its own path of
 * the candidate. Without a verdict the candidate is not used.
 */
export function createSupervisorCheck(
  socketPath: string,
  { waitMs, answerMs }: CheckTiming = defaultTiming,
): ConfigurationCheck {
  const ask = async (signal: AbortSignal): Promise<RequestOutcome> => {
    const deadlineMs = monotonicMs() + waitMs;
    for (;;) {
      const outcome = await request(socketPath, 'check', { timeoutMs: answerMs, signal });
      if (outcome.kind !== 'unreachable' || signal.aborted || monotonicMs() >= deadlineMs) return outcome;
      await sleep(RETRY_MS, signal);
    }
  };
  return async (path, signal = new AbortController().signal) => {
    const outcome = await ask(signal);
    signal.throwIfAborted();
    const noVerdict = (reason: string) => ({
      kind: 'impossible' as const,
      message: `Cannot validate configuration "${path}" through "${socketPath}": ${reason.slice(0, MAX_MESSAGE_CHARACTERS)}, expected a verdict of HAProxy`,
    });
    switch (outcome.kind) {
      case 'unreachable':
        return { ...noVerdict(outcome.message), isUnreachable: true };
      case 'answered':
        return judge(outcome.answer, noVerdict);
    }
  };
}

function judge(answer: Answer, noVerdict: (reason: string) => CheckOutcome): CheckOutcome {
  if (answer.ok) return { kind: 'valid' };
  const { stage, message, detail = '' } = answer;
  if (stage !== 'check') return noVerdict(message);
  return {
    kind: 'invalid',
    message: message.slice(0, MAX_MESSAGE_CHARACTERS),
    detail: detail.slice(-MAX_DETAIL_CHARACTERS),
  };
}
