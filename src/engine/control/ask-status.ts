import { request } from './request.ts';

/** A supervisor's status, or the reason why it is unknown. Without a socket no supervisor runs here. Never rejects. */
export async function askStatus<Status>(
  program: string,
  socket: string | undefined,
  schema: { readonly safeParse: (answer: unknown) => { readonly data?: Status | undefined } },
  timeoutMs: number,
): Promise<{ readonly status?: Status; readonly unknowns: readonly string[] }> {
  const silent = (reason: string) => ({
    unknowns: [`the supervisor of ${program} does not answer: ${reason}`],
  });
  if (socket === undefined) return silent('it does not run here');
  const outcome = await request(socket, 'status', { timeoutMs });
  if (outcome.kind === 'unreachable') return silent(outcome.message);
  const status = outcome.kind === 'answered' ? schema.safeParse(outcome.answer).data : undefined;
  return status === undefined
    ? silent('its answer is not in the format of hawser')
    : { status, unknowns: [] };
}
