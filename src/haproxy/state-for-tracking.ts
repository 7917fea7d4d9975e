import { SPARE_NAME } from './runtime/description.ts';
import { OUT_OF_USE, type RunningServers } from './runtime/running-servers.ts';

/**
 * What of a saved `show servers state` a new configuration may load. A server that tracks another one has no checks of its own:
 * loaded with a state that the tracked server does not have, it would keep that state until the tracked one next changes,
 * which may be never. Such a row is left out, and the server begins with the state of the one that it tracks. So it is
 * after the reload that brings `track` into a configuration. A server that was added while HAProxy ran tracks a spare one, whose
 * row goes to the one that it tracks in the file. A spare server begins without work, whatever it did before. What was taken out
 * of use by a command is in use again if the file has it. Sources: HAProxy's configuration manual, "track"; management guide,
 * "show servers state": field 2 is the backend, 4 the server, 6 the operational state, 7 the administrative one.
 */
export function stateForTracking(configuration: string, state: string, running?: RunningServers): string {
  const tracked = trackedServers(configuration);
  const renamed = new Map(
    [...tracked].flatMap(([server, checked]) => {
      const now = running?.get(server)?.tracks;
      return now === undefined || now === checked ? [] : [[now, checked] as const];
    }),
  );
  const replaced = new Set(renamed.values());
  const rows = state.split('\n').flatMap((line) => {
    const row = { line, fields: line.split(' ') };
    const name = `${row.fields[1]}/${row.fields[3]}`;
    if (!/^\d+ /.test(line)) return [row];
    if ((Number(row.fields[6]) & OUT_OF_USE) !== 0) return [];
    const checked = renamed.get(name);
    if (checked !== undefined) return [named(row.fields, checked)];
    return replaced.has(name) || SPARE_NAME.test(row.fields[3] ?? '') ? [] : [row];
  });
  const operational = new Map(
    rows.map(({ fields: [, backend, , server, , operationalState] }) => [
      `${backend}/${server}`,
      operationalState,
    ]),
  );
  return rows
    .filter(({ fields: [, backend, , server, , operationalState] }) => {
      const checked = tracked.get(`${backend}/${server}`);
      return checked === undefined || isAlike(operational.get(checked), operationalState);
    })
    .map(({ line }) => line)
    .join('\n');
}

function named(fields: readonly string[], server: string): { line: string; fields: string[] } {
  const [backend = '', name = ''] = server.split('/');
  const renamed = fields.with(1, backend).with(3, name);
  return { line: renamed.join(' '), fields: renamed };
}

/** By the name of a tracking server, `backend/server`, that of the one which it tracks. */
function trackedServers(configuration: string): ReadonlyMap<string, string> {
  const tracked = new Map<string, string>();
  let section = '';
  for (const line of configuration.split('\n')) {
    section = /^\s*(?:backend|listen)\s+(\S+)/.exec(line)?.[1] ?? section;
    const [, server, other] = /^\s*server\s+(\S+)\s(?:[^#]*\s)?track\s+(\S+)/.exec(line) ?? [];
    if (server === undefined || other === undefined) continue;
    tracked.set(`${section}/${server}`, other.includes('/') ? other : `${section}/${other}`);
  }
  return tracked;
}

const STARTING = '1';
const RUNNING = '2';

/** A server that warms up is starting while the one that it tracks, which takes no clients, runs already. */
function isAlike(checked: string | undefined, own: string | undefined): boolean {
  return checked === own || (checked === RUNNING && own === STARTING);
}
