import type { SupervisorReading } from '../../engine/examine/ask-program.ts';
import {
  type Check,
  checkOf,
  type Finding,
  fail,
  moreRights,
  ok,
  read,
  unknown,
  warn,
} from '../../engine/examine/check.ts';
import type { NodeContext } from '../../engine/examine/context.ts';
import { durationText } from '../../engine/system/text/readable-text.ts';
import { askRuntimeApi } from '../runtime-api.ts';
import { type SupervisorStatus, supervisorStatusSchema } from '../supervise/supervisor-status.ts';

export interface ServingReading {
  /** The supervisor's answer on its control socket. */
  readonly supervisor: SupervisorReading;
  readonly socket: string;
  /** HAProxy's answer on its stats socket; undefined or empty without one. */
  readonly info: string | undefined;
  readonly statsSocket: string;
  /** The setting of HAProxy's ports, for the operator. */
  readonly portsAre: string;
}

/** Judges HAProxy and its supervisor for a controller in another container of their pod. */
export function judgeServing(reading: ServingReading): Finding {
  const { supervisor, socket } = reading;
  if (supervisor.kind === 'absent')
    return fail(
      `there is no control socket "${socket}", so nothing can be loaded`,
      'check the container haproxy: kubectl logs POD -c haproxy; both containers must mount the folder of the socket',
    );
  if (supervisor.kind === 'unreachable')
    return /EACCES|EPERM/.test(supervisor.message)
      ? unknown(supervisor.message, moreRights)
      : fail(`the supervisor cannot be reached: ${supervisor.message}`, 'kubectl logs POD -c haproxy');
  const status = supervisorStatusSchema.safeParse(supervisor.answer).data;
  if (status === undefined)
    return fail('the supervisor does not answer with its status', 'kubectl logs POD -c haproxy');
  return judgeStatus(status, reading);
}

function judgeStatus(
  status: SupervisorStatus,
  { info, statsSocket, portsAre }: Pick<ServingReading, 'info' | 'statsSocket' | 'portsAre'>,
): Finding {
  const { current, phase, lastFailure, draining, lastCutShort: cut } = status;
  const reason = lastFailure === null ? '' : `: ${lastFailure.message}`;
  const isPortInUse = /cannot bind|address already in use/i.test(`${reason} ${lastFailure?.detail ?? ''}`);
  const port = `another program uses one of HAProxy's ports: find it with ss -ltnp on the node, or choose other ports: ${portsAre}`;
  if (current === null)
    return fail(
      `HAProxy does not run (${phase})${reason}`,
      isPortInUse ? port : 'kubectl logs POD -c haproxy',
    );
  if (isPortInUse) return fail(`the last reload could not bind its ports${reason}`, port);
  if (info === undefined || info === '')
    return fail(
      `HAProxy (pid ${current.pid}) does not answer on its stats socket "${statsSocket}"`,
      'give the supervisor and the controller the same --stats-socket, in a folder that both mount',
    );
  if (current.config === 'last-good')
    return warn('HAProxy runs on the last good copy of its configuration', 'hawser status says why');
  if (cut !== undefined && cut.agoMs < A_DAY_MS)
    return warn(
      `generation ${cut.generation} lost its connections ${durationText(cut.agoMs)} ago: ${cutShortBy[cut.limit]}`,
      cutShortTodo[cut.limit],
    );
  const old = draining.length === 0 ? '' : `, ${draining.length} draining`;
  return ok(`generation ${current.generation} serves (pid ${current.pid})${old}`);
}

const A_DAY_MS = 86_400_000;

const cutShortBy = {
  number: 'more generations were draining than --max-draining allows',
  memory: 'draining generations used more memory than --max-draining-memory allows',
} as const;

const cutShortTodo = {
  number: 'reload less often, shorten connections, or increase --max-draining',
  memory:
    'give the container haproxy more memory: each draining generation uses as much as the serving one, and the default limit is half of the container',
} as const;

interface Sockets {
  readonly socket: string;
  readonly statsSocket: string;
}

/** For a controller whose HAProxy is in another container of its pod. */
export function servingCheck<Context extends NodeContext>(
  { id, title, portsAre }: Pick<Check, 'id' | 'title'> & { readonly portsAre: string },
  socketsIn: (context: Context) => Sockets,
): Check<Context> {
  const serving = async (context: Context) => {
    const { socket, statsSocket } = socketsIn(context);
    const [supervisor, info] = await Promise.all([
      context.readings.supervisor('haproxy', socket),
      askRuntimeApi(statsSocket, 'show info', context.answerTimeoutMs),
    ]);
    return read({ supervisor, socket, info, statsSocket, portsAre });
  };
  return checkOf({
    id,
    title,
    why: 'Without its control socket no change is loaded; without its ports no client is served.',
    needs: { serving },
    judge: (facts) => judgeServing(facts.serving),
  });
}
