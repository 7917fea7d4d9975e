import { parseArgs } from 'node:util';

export interface StarvationOptions {
  readonly json: string | undefined;
  readonly minutes: number;
  readonly core: number;
  readonly hogs: number;
  readonly intervalsMs: readonly number[];
  readonly logDir: string | undefined;
}

export const usage = `usage: npm run bench:starvation [-- --json FILE] [--minutes N] [--core N] [--hogs N] [--interval MS]... [--logs DIR]
  --json      also write the figures to this file, every minute
  --minutes   how long the hogs run (default: 30)
  --core      the one processor that everything of this bench shares (default: the last one)
  --hogs      busy loops at the ordinary priority (default: 6)
  --interval  an advert interval in milliseconds; may be given several times (default: 20, 50, 100, 200)
  --logs      keep what the programs of each arm said`;

/** Throws for an invalid number. */
export function readOptions(argv: readonly string[], cores: number): StarvationOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      json: { type: 'string' },
      minutes: { type: 'string', default: '30' },
      core: { type: 'string', default: String(cores - 1) },
      hogs: { type: 'string', default: '6' },
      interval: { type: 'string', multiple: true, default: ['20', '50', '100', '200'] },
      logs: { type: 'string' },
    },
  });
  return {
    json: values.json,
    minutes: within('--minutes', values.minutes, 0.1, 1_440),
    core: whole('--core', values.core, 0, cores - 1),
    hogs: whole('--hogs', values.hogs, 0, 1_000),
    intervalsMs: values.interval.map((text) => whole('--interval', text, 10, 40_950)),
    logDir: values.logs,
  };
}

function whole(flag: string, text: string, least: number, most: number): number {
  const value = within(flag, text, least, most);
  if (Number.isInteger(value)) return value;
  throw new Error(`Cannot use ${flag} "${text}": expected a whole number`);
}

function within(flag: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (text !== '' && value >= least && value <= most) return value;
  throw new Error(`Cannot use ${flag} "${text}": expected ${least} to ${most}`);
}
