import { hostPort } from '../../engine/system/network/address-text.ts';

/** The format of `show servers state` and of state files. Source: HAProxy's management guide, "show servers state". */
const HEAD = `1
# be_id be_name srv_id srv_name srv_addr srv_op_state srv_admin_state srv_uweight srv_iweight srv_time_since_last_change srv_check_status srv_check_result srv_check_health srv_check_state srv_agent_state bk_f_forced_id srv_f_forced_id srv_fqdn srv_port srvrecord srv_use_ssl srv_check_port srv_check_addr srv_agent_addr srv_agent_port
`;

/** Positions of the fields in a row. */
export const FIELD = {
  backend: 1,
  name: 3,
  address: 4,
  operational: 5,
  administrative: 6,
  weight: 7,
  sinceSeconds: 9,
  checks: 13,
  port: 18,
} as const;

/** Values of the operational state. */
const STOPPED = '0';
export const STARTING = '1';
export const RUNNING = '2';

/** Flags of the administrative state: forced into maintenance, in maintenance by the configuration, draining. */
const MAINTENANCE = 0x01;
export const DISABLED_IN_FILE = 0x04;
const DRAINING = 0x08;

/** Flags of the state of a server's checks: it has checks, and they run. */
const CONFIGURED = 0x02;
const ENABLED = 0x04;

export interface StateRow {
  /** `backend/server`. */
  readonly server: string;
  readonly fields: readonly string[];
}

/** Undefined for a line that does not describe a server. */
export function stateRow(line: string): StateRow | undefined {
  if (!/^\d+ /.test(line)) return undefined;
  const fields = line.split(' ');
  return { server: `${fields[FIELD.backend]}/${fields[FIELD.name]}`, fields };
}

/** Accepts any number of replies. */
function stateRows(replies: string): readonly StateRow[] {
  return replies.split('\n').flatMap((line) => stateRow(line) ?? []);
}

export function hasFlag({ fields }: Pick<StateRow, 'fields'>, flag: number): boolean {
  return (Number(fields[FIELD.administrative]) & flag) !== 0;
}

/** Whether the server is disabled by a command or by the file, so that it gets no clients or no new ones. */
export function isOutOfUse(row: Pick<StateRow, 'fields'>): boolean {
  return hasFlag(row, MAINTENANCE | DRAINING);
}

/** The current state of a server in HAProxy. */
export interface RunningServer {
  /** `10.0.0.1:6443`, `[fd00::1]:6443`. */
  readonly endpoint: string;
  readonly weight: number;
  readonly isOut: boolean;
  /** Without checks, only the server's state decides whether it gets clients. */
  readonly checks: 'on' | 'paused' | 'none';
  readonly isDown: boolean;
  /** Time since the last change between disabled and enabled, or up and down. */
  readonly forMs: number;
}

export type RunningServers = ReadonlyMap<string, RunningServer>;

/** The servers, keyed by `backend/server`. Undefined for any other text. */
export function parseRunningServers(state: string): RunningServers | undefined {
  if (!state.startsWith('1\n# be_id be_name ')) return undefined;
  return new Map(stateRows(state).map((row) => [row.server, runningServer(row)]));
}

function runningServer(row: StateRow): RunningServer {
  const { fields } = row;
  return {
    endpoint: hostPort(placeOf(row)),
    weight: Number(fields[FIELD.weight]),
    isOut: isOutOfUse(row),
    isDown: fields[FIELD.operational] === STOPPED,
    forMs: 1_000 * Number(fields[FIELD.sinceSeconds]),
    checks: checksOf(Number(fields[FIELD.checks])),
  };
}

function checksOf(state: number): RunningServer['checks'] {
  if ((state & CONFIGURED) === 0) return 'none';
  return (state & ENABLED) === 0 ? 'paused' : 'on';
}

export interface Place {
  readonly host: string;
  readonly port: number;
}

/** The servers' addresses, from any number of replies. */
export function serverPlaces(replies: string): ReadonlyMap<string, Place> {
  return new Map(stateRows(replies).map((row) => [row.server, placeOf(row)]));
}

function placeOf({ fields }: StateRow): Place {
  return { host: fields[FIELD.address] ?? '', port: Number(fields[FIELD.port]) };
}

/**
 * The servers that are down. A server in maintenance is not: it may be alive and finishing its requests. An incomplete reply, without the final empty
 * line, lists no server as down.
 */
export function downServers(replies: string): ReadonlySet<string> {
  if (!replies.endsWith('\n\n')) return new Set();
  const down = stateRows(replies).filter(
    (row) => row.fields[FIELD.operational] === STOPPED && !hasFlag(row, MAINTENANCE),
  );
  return new Set(down.map(({ server }) => server));
}

/** A server in slow start, with its checks paused. */
interface PausedServer {
  readonly backend: string;
  readonly id: number | string;
  readonly name: string;
  readonly port: number;
  readonly weight: number;
  /** HAProxy also reads this from the state. If it is false, HAProxy would not use TLS with a server that has `ssl`. */
  readonly usesTls: boolean;
}

/** A row of a state file. No check has run yet, and no failure is counted. */
export function pausedRow({ backend, id, name, port, weight, usesTls }: PausedServer): string {
  const checks = `1 0 4 ${CONFIGURED}`;
  return `0 ${backend} ${id} ${name} - ${RUNNING} 0 ${weight} ${weight} 0 ${checks} 0 0 1 - ${port} - ${usesTls ? 1 : 0} 0 - - 0\n`;
}

/** A state file with these rows. */
export function stateFile(rows: readonly string[]): string {
  return HEAD + rows.join('');
}
