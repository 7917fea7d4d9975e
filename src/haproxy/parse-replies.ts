/** One numeric field of `show info`; undefined if it is missing. */
export function infoNumber(info: string, field: 'Pid' | 'CurrConns' | 'Maxconn'): number | undefined {
  const number = new RegExp(`^(?:> )?${field}: (\\d+)`, 'm').exec(info)?.[1];
  return number === undefined ? undefined : Number(number);
}

/** The master's pid in the output of `show proc`: `4242 master 0 [failed: 0] …`. */
export function masterPid(proc: string): number | undefined {
  const pid = /^(\d+)\s+master\b/m.exec(proc)?.[1];
  return pid === undefined ? undefined : Number(pid);
}

/** A client's session: its id for `shutdown session`, and its server as `backend/server`. */
export interface Session {
  readonly id: string;
  readonly server: string;
}

/**
 * The clients' sessions in the output of `show sess`. Omits the sessions of the command line (frontend GLOBAL, over the master's socket pair): ending
 * them would end this conversation.
 */
export function clientSessions(sessions: string): readonly Session[] {
  return sessionRows(sessions)
    .filter(({ protocol, frontend }) => !/^(?:sockpair|unix)/.test(protocol) && !isCommandLine(frontend))
    .map(({ id, backend, server }) => ({ id, server: `${backend}/${server}` }));
}

/**
 * The number of requests in progress in the output of `show sess`. HAProxy lists no idle HTTP connection. A TLS connection that passes through a TCP
 * frontend and a server of the same process (`be_sni`, `fe_sni`), as in openshift-router's template, is listed while it is open, and its requests are
 * listed separately. Undefined for a reply that does not list this command's own session.
 */
export function requestsIn(sessions: string): number | undefined {
  const rows = sessionRows(sessions);
  const others = rows.filter(({ frontend }) => !isCommandLine(frontend));
  if (others.length === rows.length) return undefined;
  return others.filter(({ backend, server }) => !isHop(backend, server)).length;
}

const isHop = (backend: string, server: string): boolean =>
  backend.startsWith('be_') && server === backend.replace('be_', 'fe_');

const isCommandLine = (frontend: string): boolean => /^(?:GLOBAL|MASTER)$/.test(frontend);

function sessionRows(sessions: string) {
  return sessions.split('\n').flatMap((line) => {
    const [, id, protocol = '', frontend = '', backend = '', server = ''] =
      /^(0x[0-9a-f]+): proto=(\S+) .*?\bfe=(\S+) be=(\S+) srv=(\S+) /.exec(line) ?? [];
    return id === undefined ? [] : [{ id, protocol, frontend, backend, server }];
  });
}

/**
 * The replies to commands that were sent on one connection. Each reply is a paragraph followed by an empty line. Returns no replies unless there is
 * one for each command.
 */
export function repliesIn(text: string, commands: number): readonly string[] {
  const replies: string[] = [];
  let lines: string[] = [];
  for (const line of text.split('\n').slice(0, -1))
    if (line !== '') lines.push(line);
    else {
      replies.push(lines.join('\n'));
      lines = [];
    }
  return lines.length === 0 && replies.length === commands ? replies : [];
}
