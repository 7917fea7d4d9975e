/** A server of the backend as HAProxy sees it. */
export interface ServerStat {
  readonly name: string;
  /** `UP`, `DOWN`, or in transition: `UP 1/2` has failed once, `DOWN 3/13` has passed three times. */
  readonly status: string;
  /** The result of the last health check: `L7OK`, `L4CON`. */
  readonly check: string;
  /** Session count of the queried worker, which starts over with each generation. */
  readonly sessions: number;
}

/** The servers of backend `masters` in the output of `show stat` (management guide, 9.1): CSV with a header. */
export function parseShowStat(csv: string): readonly ServerStat[] {
  const [header = '', ...rows] = csv.replace(/^# /, '').trim().split('\n');
  const columns = header.split(',');
  const all = rows
    .map((row) => row.split(','))
    .map((cells) => (column: string) => cells[columns.indexOf(column)] ?? '');
  const servers = all.filter((cell) => cell('pxname') === 'masters' && cell('svname') !== 'BACKEND');
  return servers.map((cell) => {
    const checked = all.find((each) => `${each('pxname')}/${each('svname')}` === cell('tracked')) ?? cell;
    return {
      name: cell('svname'),
      status: cell('status'),
      // A leading `* ` means that a check is in progress.
      check: checked('check_status').replace(/^\* /, ''),
      sessions: Number(cell('stot')),
    };
  });
}
