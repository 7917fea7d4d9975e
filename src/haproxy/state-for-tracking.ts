import { serverLines } from './text/config-text.ts';
import {
  DISABLED_IN_FILE,
  FIELD,
  hasFlag,
  isOutOfUse,
  RUNNING,
  STARTING,
  type StateRow,
  stateRow,
} from './text/servers-state.ts';

/**
 * The part of a saved `show servers state` that a new configuration may load. A server that tracks another one has no checks of its own. Loaded with
 * a state that the tracked server does not have, it would keep that state until the tracked one next changes, possibly never. Such a row is omitted,
 * so the server starts with the state of the server it tracks, as after a reload that adds `track`. A server that was disabled by a command is
 * enabled again if the file has it, because hawser removes servers that way. A server that tracks or is tracked is never removed that way, and stays
 * disabled. A tracking server that was `disabled` in the earlier file and is not in this one starts slowly. Source: HAProxy's configuration manual,
 * "track".
 */
export function stateForTracking(configuration: string, state: string): string {
  const { tracked, ports, disabled } = serversOf(configuration);
  const pairs = new Set([...tracked].flat());
  const lines = state.split('\n').flatMap((line): readonly StateLine[] => {
    const row = stateRow(line);
    if (row === undefined) return [{ line }];
    const { server, fields } = row;
    if (isOutOfUse(row) && !pairs.has(server)) return [];
    const isBack = tracked.has(server) && hasFlag(row, DISABLED_IN_FILE) && !disabled.has(server);
    const kept = { server, fields: atPort(isBack ? startingAgain(fields) : fields, ports.get(server)) };
    return [{ line: kept.fields.join(' '), row: kept }];
  });
  const operational = new Map(
    lines.flatMap(({ row }) =>
      row === undefined ? [] : [[row.server, row.fields[FIELD.operational]] as const],
    ),
  );
  return lines
    .filter(({ row }) => {
      const checked = row && tracked.get(row.server);
      if (row === undefined || checked === undefined || isOutOfUse(row)) return true;
      return isAlike(operational.get(checked), row.fields[FIELD.operational]);
    })
    .map(({ line }) => line)
    .join('\n');
}

/** Ready, and starting for 0 seconds: HAProxy applies `slowstart` from there. */
function startingAgain(fields: readonly string[]): readonly string[] {
  return fields
    .with(FIELD.operational, STARTING)
    .with(FIELD.administrative, '0')
    .with(FIELD.sinceSeconds, '0');
}

/** Unlike the address, HAProxy uses the port of the state, whatever the file says. */
function atPort(fields: readonly string[], port: string | undefined): readonly string[] {
  return port === undefined || fields[FIELD.port] === undefined ? fields : fields.with(FIELD.port, port);
}

interface StateLine {
  readonly line: string;
  /** Undefined for a line that does not describe a server. */
  readonly row?: StateRow;
}

interface FileServers {
  /** The tracked server of each tracking server, both as `backend/server`. */
  readonly tracked: ReadonlyMap<string, string>;
  readonly ports: ReadonlyMap<string, string>;
  /** Servers as `backend/server`. */
  readonly disabled: ReadonlySet<string>;
}

function serversOf(configuration: string): FileServers {
  const tracked = new Map<string, string>();
  const ports = new Map<string, string>();
  const disabled = new Set<string>();
  for (const { server, endpoint, options, tracks } of serverLines(configuration)) {
    const [, port] = /:([1-9]\d*)$/.exec(endpoint) ?? [];
    if (port !== undefined) ports.set(server, port);
    if (/\sdisabled(?:\s|$)/.test(options)) disabled.add(server);
    if (tracks !== undefined) tracked.set(server, tracks);
  }
  return { tracked, ports, disabled };
}

/** A server in slow start is `starting` while the tracked server, which gets no clients, is already `running`. */
function isAlike(tracked: string | undefined, own: string | undefined): boolean {
  return tracked === own || (tracked === RUNNING && own === STARTING);
}
