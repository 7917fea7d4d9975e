import type { Answer } from '../control/answer.ts';
import { request } from '../control/request.ts';
import type { HostFiles } from './host-files.ts';
import { type HostProcess, isHawser } from './host-processes.ts';

export type SupervisorReading =
  | { readonly kind: 'answered'; readonly socket: string; readonly answer: Answer }
  /** No socket and no process: it does not run here. `isInstalled`: it should. */
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
 * A supervisor's answer to `status`. The directory of its socket belongs to the pod, so it is found through the process
 * that holds it (`/proc/PID/root`), which needs root.
 */
export async function lookAtSupervisor(ask: SupervisorQuestion): Promise<SupervisorReading> {
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
