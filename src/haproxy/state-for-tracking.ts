/**
 * What of a saved `show servers state` a new configuration may load. A server that tracks another one has no checks of its own:
 * loaded with a state that the tracked server does not have, it would keep that state until the tracked one next changes,
 * which may be never. Such a row is left out, and the server begins with the state of the one that it tracks. So it is
 * after the reload that brings `track` into a configuration. Sources: HAProxy's configuration manual, "track"; management
 * guide, "show servers state": field 2 is the backend, 4 the server, 6 the operational state.
 */
export function stateForTracking(configuration: string, state: string): string {
  const tracked = trackedServers(configuration);
  const rows = state.split('\n').map((line) => ({ line, fields: line.split(' ') }));
  const operational = new Map(
    rows.map(({ fields: [, backend, , server, , operationalState] }) => [
      `${backend}/${server}`,
      operationalState,
    ]),
  );
  return rows
    .filter(({ fields: [, backend, , server, , operationalState] }) => {
      const checked = tracked.get(`${backend}/${server}`);
      return checked === undefined || operational.get(checked) === operationalState;
    })
    .map(({ line }) => line)
    .join('\n');
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
