import type { OutputFormat } from '../cli/command-spec.ts';
import { structuredWriter } from '../cli/structured-text.ts';
import type { Answer } from '../engine/control/answer.ts';
import { type ControlRequest, type RequestOutcome, request } from '../engine/control/request.ts';

/** A supervisor's success; otherwise reports the failure on stderr. */
export function answerOrComplaint(socket: string, outcome: RequestOutcome): GoodAnswer | undefined {
  const complaint = complaintOf(socket, outcome);
  if (complaint !== undefined) process.stderr.write(`${complaint}\n`);
  return outcome.kind === 'answered' && outcome.answer.ok ? outcome.answer : undefined;
}

/**
 * Sends a request and prints the outcome: `done` for a success, else the failure on stderr. A structured format prints
 * any answer as it came. Resolves with the exit code.
 */
export async function printAnswer(
  { socket, timeout, json }: ClientSettings,
  verb: ControlRequest,
  done: (answer: GoodAnswer) => string,
): Promise<number> {
  const outcome = await request(socket, verb, { timeoutMs: timeout });
  const answer = answerOrComplaint(socket, outcome);
  const write = await structuredWriter(json);
  if (json !== undefined && outcome.kind === 'answered') process.stdout.write(`${write(outcome.answer)}\n`);
  else if (answer !== undefined) process.stdout.write(`${done(answer)}\n`);
  return answer === undefined ? 1 : 0;
}

interface ClientSettings {
  readonly socket: string;
  readonly timeout: number;
  readonly json?: OutputFormat | undefined;
}

type GoodAnswer = Extract<Answer, { ok: true }>;

function complaintOf(socket: string, outcome: RequestOutcome): string | undefined {
  switch (outcome.kind) {
    case 'answered': {
      if (outcome.answer.ok) return undefined;
      const { stage, message, detail } = outcome.answer;
      return [`refused at "${stage}": ${message}`, ...(detail ? [detail] : [])].join('\n');
    }
    case 'unreachable':
      return `Cannot ask "${socket}": ${outcome.message}, expected the supervisor of its pod to listen there`;
  }
}
