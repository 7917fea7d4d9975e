import type { Answer } from '../protocol/answer.ts';
import type { RequestOutcome } from '../protocol/request.ts';

/** The good answer of a supervisor; where there is none, says why on stderr. */
export function answerOrComplaint(
  socket: string,
  outcome: RequestOutcome,
): Extract<Answer, { ok: true }> | undefined {
  const complaint = complaintOf(socket, outcome);
  if (complaint !== undefined) process.stderr.write(`${complaint}\n`);
  return outcome.kind === 'answered' && outcome.answer.ok ? outcome.answer : undefined;
}

function complaintOf(socket: string, outcome: RequestOutcome): string | undefined {
  switch (outcome.kind) {
    case 'answered': {
      if (outcome.answer.ok) return undefined;
      const { stage, message, detail } = outcome.answer;
      return [`refused at "${stage}": ${message}`, ...(detail ? [detail] : [])].join('\n');
    }
    case 'unacknowledged':
      return `Cannot read the answer of "${socket}": there is none, expected a line of JSON (the original shell daemon sends nothing)`;
    case 'unreachable':
      return `Cannot ask "${socket}": ${outcome.message}, expected the supervisor of its pod to listen there`;
  }
}
