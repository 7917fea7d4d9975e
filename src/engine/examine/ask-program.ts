import * as z from 'zod/mini';
import type { Answer } from '../control/answer.ts';
import { request } from '../control/request.ts';
import type { Immutable } from '../system/immutable.ts';
import { hostPort } from '../system/network/address-text.ts';
import { type AskOptions, askPageEitherWay, type PageAddress } from '../system/network/ask-page.ts';
import { parseJson } from '../system/text/parse-json.ts';
import type { HostFiles } from './host-files.ts';
import { type HostProcess, isHawser } from './host-processes.ts';

/** Whether a program answered. */
export const programStateSchema = z.object({
  name: z.string(),
  state: z.enum(['answers', 'silent', 'not-asked']),
  /** The address of its page: `127.0.0.1:29446`. */
  address: z.nullable(z.string()),
  problem: z.nullable(z.string()),
});

export type ProgramState = Immutable<z.infer<typeof programStateSchema>>;

/** A program's status, and whether it answered. */
export interface ProgramAnswer<T> {
  readonly program: ProgramState;
  readonly status: T | null;
  /** Whether it runs: it answers, or accepts connections and hangs. An answer of another program does not count. */
  readonly isThere: boolean;
}

/** Requests a program's status from its page. `page` is undefined if it has none. Never rejects. */
export async function askProgram<T>(
  name: string,
  page: PageAddress | undefined,
  schema: z.ZodMiniType<T>,
  options: AskOptions,
): Promise<ProgramAnswer<T>> {
  if (page === undefined) {
    const problem = 'its --listen is off';
    return { program: { name, state: 'not-asked', address: null, problem }, status: null, isThere: false };
  }
  const reached = reachable(page);
  const address = hostPort(reached);
  const silent = (problem: string, isThere: boolean): ProgramAnswer<T> => ({
    program: { name, state: 'silent', address, problem },
    status: null,
    isThere,
  });
  const answer = await askPageEitherWay(reached, '/status', options);
  if (answer.kind === 'silent') return silent(answer.message, answer.isTaken);
  const status = answer.status === 200 ? schema.safeParse(parseJson(answer.text)).data : undefined;
  if (status === undefined) return silent(`HTTP ${answer.status}, and no status of this program`, false);
  return { program: { name, state: 'answers', address, problem: null }, status, isThere: true };
}

/** Loopback for a program that listens on all addresses. */
function reachable({ host, port }: PageAddress): PageAddress {
  if (host === '0.0.0.0') return { host: '127.0.0.1', port };
  return { host: host === '::' ? '::1' : host, port };
}

export type SupervisorReading =
  | { readonly kind: 'answered'; readonly socket: string; readonly answer: Answer }
  /** No socket and no process: the supervisor does not run here. */
  | { readonly kind: 'absent' }
  /** A supervisor runs, but its socket is not reachable from here. */
  | { readonly kind: 'unreachable'; readonly message: string };

export interface SupervisorQuestion {
  readonly program: string;
  readonly socket: string;
  readonly files: HostFiles;
  readonly processes: () => Promise<readonly HostProcess[]>;
  readonly signal: AbortSignal;
  readonly answerTimeoutMs: number;
}

/**
 * Requests a supervisor's `status`. The directory of the socket belongs to the pod, so the socket is reached through the root directory
 * of the supervisor's process (`/proc/PID/root`), which requires root.
 */
export async function readSupervisor(ask: SupervisorQuestion): Promise<SupervisorReading> {
  const running = (await ask.processes()).filter((each) => isHawser(each, [ask.program, 'supervise']));
  // A link in the pod, such as /var/run, is resolved within the pod.
  const candidates = ['', ...running.map(({ pid }) => `/proc/${pid}/root`)];
  let complaint = '';
  for (const below of candidates) {
    const socket = await ask.files.locate(ask.socket, below);
    const outcome = await request(socket, 'status', { timeoutMs: ask.answerTimeoutMs, signal: ask.signal });
    if (outcome.kind === 'answered') return { kind: 'answered', socket, answer: outcome.answer };
    complaint = `"${socket}": ${outcome.message}`;
    if (!outcome.message.includes('ENOENT')) return { kind: 'unreachable', message: complaint };
  }
  const own = running.filter(({ instance }) => instance === undefined);
  return own.length === 0 ? { kind: 'absent' } : { kind: 'unreachable', message: complaint };
}
