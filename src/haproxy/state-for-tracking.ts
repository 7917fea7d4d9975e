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
 * What of a saved `show servers state` a new configuration may load. A server that tracks another one has no checks of its own:
 * loaded with a state that the tracked server does not have, it would keep that state until the tracked one next changes,
 * which may be never. Such a row is left out, and the server begins with the state of the one that it tracks. So it is
 * after the reload that brings `track` into a configuration. What was taken out of use by a command is in use again if the file has
 * it, since hawser removes servers so; a server that tracks or is tracked is never removed so, and stays out of use. A tracking server that was
 * `disabled` in the earlier file and is not in this one starts slowly. Source: HAProxy's
 * configuration manual, "track".
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

/** Ready, and starting since 0 seconds: HAProxy applies `slowstart` from there. */
function startingAgain(fields: readonly string[]): readonly string[] {
  return fields
    .with(FIELD.operational, STARTING)
    .with(FIELD.administrative, '0')
    .with(FIELD.sinceSeconds, '0');
}

/** HAProxy takes the port of the state for the server's, whatever the file says, unlike the address. */
function atPort(fields: readonly string[], port: string | undefined): readonly string[] {
  return port === undefined || fields[FIELD.port] === undefined ? fields : fields.with(FIELD.port, port);
}

interface StateLine {
  readonly line: string;
  /** Undefined for a line that is no server's. */
  readonly row?: StateRow;
}

interface FileServers {
  /** By the name of a tracking server, `backend/server`, that of the one which it tracks. */
  readonly tracked: ReadonlyMap<string, string>;
  readonly ports: ReadonlyMap<string, string>;
  /** `backend/server`. */
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

/** A server that warms up is starting while the one that it tracks, which takes no clients, runs already. */
function isAlike(tracked: string | undefined, own: string | undefined): boolean {
  return tracked === own || (tracked === RUNNING && own === STARTING);
}
