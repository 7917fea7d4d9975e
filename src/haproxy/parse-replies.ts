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
 * The servers that are down in `show servers state`, as `backend/server`: field 2 is the backend, 4 the server, 6 the
 * operational state (0 is stopped). Source: HAProxy's management guide, "show servers state".
 */
export function downServers(state: string): readonly string[] {
  return state
    .split('\n')
    .map((line) => line.split(' '))
    .filter((fields) => /^\d+$/.test(fields[0] ?? '') && fields[5] === '0')
    .map((fields) => `${fields[1]}/${fields[3]}`);
}
