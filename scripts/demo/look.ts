import { request } from '../../src/engine/control/request.ts';
import { askRuntimeApi } from '../../src/haproxy/runtime-api.ts';
import {
  type SupervisorStatus,
  supervisorStatusSchema,
} from '../../src/haproxy/supervise/supervisor-status.ts';
import { parseShowStat, type ServerStat } from './show-stat.ts';

const TIMEOUT_MS = 2_000;

/** The state of HAProxy and its supervisor at one moment. */
export interface Sight {
  /** Empty while no HAProxy answers. */
  readonly servers: readonly ServerStat[];
  /** Undefined while the supervisor does not answer. */
  readonly supervisor: SupervisorStatus | undefined;
}

/** Queries both through their socket files, which are reachable from any network namespace. Never rejects. */
export async function look(sockets: {
  readonly controlSocket: string;
  readonly statsSocket: string;
}): Promise<Sight> {
  const [stat, outcome] = await Promise.all([
    askRuntimeApi(sockets.statsSocket, 'show stat', TIMEOUT_MS),
    request(sockets.controlSocket, 'status', { timeoutMs: TIMEOUT_MS }),
  ]);
  const status =
    outcome.kind === 'answered' ? supervisorStatusSchema.safeParse(outcome.answer).data : undefined;
  return { servers: stat === undefined ? [] : parseShowStat(stat), supervisor: status };
}
