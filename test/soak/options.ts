import { parseArgs } from 'node:util';

export interface SoakOptions {
  readonly help: boolean;
  readonly minutes: number;
  readonly ratePerSecond: number;
  readonly streams: number;
  readonly reloadEveryMs: number;
  readonly moveEveryMs: number;
  readonly json: string | undefined;
}

export const usage = `usage: npm run test:soak -- [--minutes M] [--rate R] [--streams S] [--reload-every SECONDS] [--move-every SECONDS] [--json FILE]
  --minutes       how long (default 60, at most 600)
  --rate          new connections a second, through the VIP (default 300)
  --streams       answers that never end: half of them through the VIP (default 500)
  --reload-every  between two reloads of HAProxy and of keepalived on each node (default 60)
  --move-every    between two hand-overs of the VIP (default 300)
  --json          also write the figures to this file
Exit codes: 0 nothing lost and nothing grows, 1 otherwise, 2 it could not be run.`;

export function readOptions(argv: readonly string[]): SoakOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      help: { type: 'boolean', default: false },
      minutes: { type: 'string', default: '60' },
      rate: { type: 'string', default: '300' },
      streams: { type: 'string', default: '500' },
      'reload-every': { type: 'string', default: '60' },
      'move-every': { type: 'string', default: '300' },
      json: { type: 'string' },
    },
  });
  return {
    help: values.help,
    minutes: numberIn('minutes', values.minutes, 600),
    ratePerSecond: numberIn('rate', values.rate, 2_000),
    streams: numberIn('streams', values.streams, 10_000),
    reloadEveryMs: numberIn('reload-every', values['reload-every'], 36_000) * 1_000,
    moveEveryMs: numberIn('move-every', values['move-every'], 36_000) * 1_000,
    json: values.json,
  };
}

function numberIn(what: string, text: string, to: number): number {
  const value = Number(text);
  if (text.trim() !== '' && value > 0 && value <= to) return value;
  throw new Error(`Cannot read --${what} "${text}": expected a number above 0, at most ${to}`);
}
