/** One field of `show info`, as a number; undefined where it is not there. */
export function infoNumber(info: string, field: 'Pid' | 'CurrConns' | 'Maxconn'): number | undefined {
  const found = new RegExp(`^(?:> )?${field}: (\\d+)`, 'm').exec(info)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** The master's pid in `show proc`: `4242 master 0 [failed: 0] …`. */
export function masterPid(proc: string): number | undefined {
  const found = /^(\d+)\s+master\b/m.exec(proc)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** A client's session: what `shutdown session` calls it, and the server that it is with, as `backend/server`. */
export interface Session {
  readonly id: string;
  readonly server: string;
}

/**
 * The clients' sessions in `show sess`. Those of the command line itself (frontend GLOBAL, over the master's socket
 * pair) are left out: ending them would end the conversation.
 */
export function clientSessions(sessions: string): readonly Session[] {
  return sessions.split('\n').flatMap((line) => {
    const [, id, protocol, frontend, backend, server] =
      /^(0x[0-9a-f]+): proto=(\S+) .*?\bfe=(\S+) be=(\S+) srv=(\S+) /.exec(line) ?? [];
    const isOwn = /^(?:sockpair|unix)/.test(protocol ?? '') || /^(?:GLOBAL|MASTER)$/.test(frontend ?? '');
    return id === undefined || isOwn ? [] : [{ id, server: `${backend}/${server}` }];
  });
}

/**
 * Whether a server, as `backend/server`, is lost by `show servers state`: it is down, or its backend is there without it. A backend that
 * is gone says nothing of its servers: a route may have been removed while its pods live. Of a reply that was cut off,
 * which does not end with an empty line, nothing is lost. Field 2 is the backend, 4 the server, 6 the operational
 * state (0 is stopped). Source: HAProxy's management guide, "show servers state".
 */
export function lostServers(state: string): (server: string) => boolean {
  if (!state.endsWith('\n\n')) return () => false;
  const backends = new Set<string>();
  const up = new Set<string>();
  for (const line of state.split('\n')) {
    const [number = '', backend = '', , server = '', , operational] = line.split(' ');
    if (!/^\d+$/.test(number) || server === '') continue;
    backends.add(backend);
    if (operational !== '0') up.add(`${backend}/${server}`);
  }
  return (server) => backends.has(server.slice(0, server.indexOf('/'))) && !up.has(server);
}
