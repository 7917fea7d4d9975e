import * as z from 'zod/mini';
import { type Spread, spreadOf } from '../reload/figures.ts';
import { inWorld } from './in-world.ts';

const times = z.array(z.number());
/** CPU time in a window of `lastsS` seconds, and the controller's counters over it. */
const windowSchema = z.object({
  lastsS: z.number(),
  allS: z.number(),
  controllerS: z.number(),
  checksS: z.number(),
  supervisorS: z.number(),
  haproxyS: z.number(),
  commands: z.number(),
  unchanged: z.number(),
  reloaded: z.number(),
  changed: z.number(),
});
const worldSchema = z.object({
  movedMs: times,
  idle: windowSchema,
  changing: windowSchema,
  unused: windowSchema,
  besideMs: times,
});

type Window = z.infer<typeof windowSchema>;

/** What endpoint changes cost the router and its HAProxy, including all children, compared with an idle window. */
export interface ChangeCost {
  readonly routes: number;
  readonly moved: Spread | null;
  readonly idle: Window;
  /** Five changes a second. */
  readonly changing: Window;
  /** Fifty changed slices a second that no route uses. */
  readonly unused: Window;
  /** A moved endpoint while another tenant's 5,000 endpoints flap twice a second. */
  readonly beside: Spread | null;
}

export async function changeCost(
  routes: number,
  rounds: number,
  seconds: number,
  profiles = '',
): Promise<ChangeCost> {
  const found = worldSchema.parse(await inWorld('change-world.ts', [routes, rounds, seconds, profiles]));
  const { movedMs, besideMs, ...windows } = found;
  return { routes, moved: spreadOf(movedMs), beside: spreadOf(besideMs), ...windows };
}

const columns = {
  all: 'allS',
  controller: 'controllerS',
  'haproxy -c': 'checksS',
  supervisor: 'supervisorS',
  HAProxy: 'haproxyS',
  commands: 'commands',
  changed: 'changed',
  reloaded: 'reloaded',
  unchanged: 'unchanged',
} as const satisfies Readonly<Record<string, keyof Window>>;

export function formatChanges({ routes, moved, idle, changing, unused, beside }: ChangeCost): string {
  const ms = (spread: Spread | null): string =>
    spread === null
      ? '-'
      : `${spread.median.toFixed(1)} (${spread.min.toFixed(1)}-${spread.max.toFixed(1)}) of ${spread.count}`;
  const cells = (window: Window): readonly string[] =>
    Object.values(columns).map((name) => window[name].toFixed(name.endsWith('S') ? 2 : 0));
  const row = (name: string, rest: readonly string[]): string =>
    [name.padEnd(32), ...rest.map((cell) => cell.padEnd(11))].join('').trimEnd();
  return [
    row(`CPU seconds, ${routes} routes`, Object.keys(columns)),
    row(`idle, ${idle.lastsS} s`, cells(idle)),
    row(`5 endpoint changes/s, ${changing.lastsS} s`, cells(changing)),
    row(`50 unused slices/s, ${unused.lastsS} s`, cells(unused)),
    `endpoint moved to served, ms: ${ms(moved)}`,
    `  next to 5,000 flapping endpoints of another tenant, ms: ${ms(beside)}`,
  ].join('\n');
}
