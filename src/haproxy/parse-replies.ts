/** One field of `show info`, as a number; undefined where it is not there. */
export function infoNumber(info: string, field: 'Pid' | 'CurrConns'): number | undefined {
  const found = new RegExp(`^(?:> )?${field}: (\\d+)`, 'm').exec(info)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** The master's pid in `show proc`: `4242 master 0 [failed: 0] …`. */
export function masterPid(proc: string): number | undefined {
  const found = /^(\d+)\s+master\b/m.exec(proc)?.[1];
  return found === undefined ? undefined : Number(found);
}

/**
 * The ids of clients' sessions in `show sess`. Those of the command line itself (frontend GLOBAL, over the
 * master's socket pair) are left out: ending them would end the conversation.
 */
export function sessionIds(sessions: string): readonly string[] {
  return sessions
    .split('\n')
    .filter(
      (line) => line.startsWith('0x') && !/ proto=(?:sockpair|unix\S*) | fe=(?:GLOBAL|MASTER) /.test(line),
    )
    .map((line) => line.slice(0, line.indexOf(':')));
}
