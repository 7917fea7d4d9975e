import type { OutputFormat } from '../cli/command-spec.ts';
import { printAs, structuredWriter } from '../cli/run-command.ts';
import type { Answer } from '../engine/control/answer.ts';
import { type ControlRequest, type RequestOutcome, request } from '../engine/control/request.ts';
import { printableLine } from '../engine/system/text/readable-text.ts';

interface ClientSettings {
  readonly socket: string;
  readonly timeout: number;
  readonly json?: OutputFormat | undefined;
}

type GoodAnswer = Extract<Answer, { ok: true }>;

/**
 * Sends a request and prints the outcome: `done` for a success, the failure on stderr. A structured format prints any answer unchanged. Resolves with
 * the exit code.
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

/** Prints a supervisor's status and returns it. Without an answer prints the failure on stderr and returns undefined. */
export async function printStatus<T>(
  { socket, timeout, json }: ClientSettings,
  schema: { readonly parse: (answer: unknown) => T },
  linesOf: (status: T) => readonly string[],
): Promise<T | undefined> {
  const answer = answerOrComplaint(socket, await request(socket, 'status', { timeoutMs: timeout }));
  if (answer === undefined) return undefined;
  const status = schema.parse(answer);
  await printAs(json, answer, () => linesOf(status).map(printableLine));
  return status;
}

/** A supervisor's success. Prints a failure on stderr and returns undefined. */
function answerOrComplaint(socket: string, outcome: RequestOutcome): GoodAnswer | undefined {
  if (outcome.kind === 'answered' && outcome.answer.ok) return outcome.answer;
  process.stderr.write(`${complaintOf(socket, outcome)}\n`);
  return undefined;
}

function complaintOf(socket: string, outcome: RequestOutcome): string {
  if (outcome.kind === 'unreachable')
    return `Cannot reach the supervisor on "${socket}": ${outcome.message}, expected its pod to run`;
  if (outcome.answer.ok) return '';
  const { stage, message, detail } = outcome.answer;
  const lines = [`refused at "${stage}": ${message}`, ...(detail ? detail.split('\n') : [])];
  return lines.map(printableLine).join('\n');
}
