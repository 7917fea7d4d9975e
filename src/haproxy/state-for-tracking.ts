import { OUT_OF_USE } from './runtime/running-servers.ts';

/**
 * What of a saved `show servers state` a new configuration may load. A server that tracks another one has no checks of its own:
 * loaded with a state that the tracked server does not have, it would keep that state until the tracked one next changes,
 * which may be never. Such a row is left out, and the server begins with the state of the one that it tracks. So it is
 * after the reload that brings `track` into a configuration. What was taken out of use by a command is in use again if the file has
 * it, since hawser removes servers so; a server that tracks or is tracked is never removed so, and stays out of use. A tracking server that was
 * `disabled` in the earlier file and is not in this one starts slowly. Sources: HAProxy's
 * configuration manual, "track"; management guide, "show servers state": field 2 is the backend, 4 the server, 6 the operational state, 7 the
 * administrative one, 19 the port.
 */
export function stateForTracking(configuration: string, state: string): string {
  const { tracked, ports, disabled } = serversOf(configuration);
  const pairs = new Set([...tracked].flat());
  const rows = state.split('\n').flatMap((line) => {
    const row = rowOf(line.split(' '));
    const name = `${row.fields[1]}/${row.fields[3]}`;
    if (!/^\d+ /.test(line)) return [row];
    if (isOutOfUse(row.fields) && !pairs.has(name)) return [];
    const isBack = tracked.has(name) && wasDisabled(row.fields) && !disabled.has(name);
    return [rowOf(atPort(isBack ? startingAgain(row.fields) : row.fields, ports.get(name)))];
  });
  const operational = new Map(
    rows.map(({ fields: [, backend, , server, , operationalState] }) => [
      `${backend}/${server}`,
      operationalState,
    ]),
  );
  return rows
    .filter(({ fields }) => {
      const [, backend, , server, , operationalState] = fields;
      const checked = tracked.get(`${backend}/${server}`);
      return (
        checked === undefined || isOutOfUse(fields) || isAlike(operational.get(checked), operationalState)
      );
    })
    .map(({ line }) => line)
    .join('\n');
}

function rowOf(fields: readonly string[]): { readonly line: string; readonly fields: readonly string[] } {
  return { line: fields.join(' '), fields };
}

function isOutOfUse(fields: readonly string[]): boolean {
  return (Number(fields[6]) & OUT_OF_USE) !== 0;
}

function wasDisabled(fields: readonly string[]): boolean {
  return (Number(fields[ADMINISTRATIVE]) & DISABLED_IN_FILE) !== 0;
}

/** Ready, and starting since 0 seconds: HAProxy applies `slowstart` from there. */
function startingAgain(fields: readonly string[]): readonly string[] {
  return fields.with(OPERATIONAL, STARTING).with(ADMINISTRATIVE, '0').with(SINCE, '0');
}

/** HAProxy takes the port of the state for the server's, whatever the file says, unlike the address. */
function atPort(fields: readonly string[], port: string | undefined): readonly string[] {
  return port === undefined || fields[PORT] === undefined ? fields : fields.with(PORT, port);
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
  let section = '';
  for (const line of configuration.split('\n')) {
    section = /^\s*(?:backend|listen)\s+(\S+)/.exec(line)?.[1] ?? section;
    const [, server, address = '', options = ''] = /^\s*server\s+(\S+)\s+(\S+)(.*)$/.exec(line) ?? [];
    if (server === undefined) continue;
    const [, port] = /:([1-9]\d*)$/.exec(address) ?? [];
    if (port !== undefined) ports.set(`${section}/${server}`, port);
    if (/\sdisabled(?:\s|$)/.test(options)) disabled.add(`${section}/${server}`);
    const [, other] = /^\s(?:[^#]*\s)?track\s+(\S+)/.exec(options) ?? [];
    if (other !== undefined)
      tracked.set(`${section}/${server}`, other.includes('/') ? other : `${section}/${other}`);
  }
  return { tracked, ports, disabled };
}

const OPERATIONAL = 5;
const ADMINISTRATIVE = 6;
const SINCE = 9;
const PORT = 18;
/** `SRV_ADMF_CMAINT`: in maintenance by the configuration. */
const DISABLED_IN_FILE = 4;
const STARTING = '1';
const RUNNING = '2';

/** A server that warms up is starting while the one that it tracks, which takes no clients, runs already. */
function isAlike(checked: string | undefined, own: string | undefined): boolean {
  return checked === own || (checked === RUNNING && own === STARTING);
}
