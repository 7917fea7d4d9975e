import type { Spread } from '../reload/figures.ts';
import type { Change, LiveFigures } from './live-cost.ts';

type Cell = (figures: LiveFigures) => string;

const ms = (spread: Spread | null): string =>
  spread === null
    ? '-'
    : [spread.median, spread.min, spread.max].map((value) => value.toFixed(0)).join(' / ');
export const formatChange = ({ ms: spread, reloads }: Change): string => `${ms(spread)}, ${reloads} reloads`;
const mb = (kb: number): string => (kb / 1_024).toFixed(0);

const rows: Readonly<Record<string, Cell>> = {
  'route created to first 200, ms': ({ createdMs }) => ms(createdMs),
  '  the upstream way': ({ upstreamCreatedMs }) => ms(upstreamCreatedMs),
  '  only 404 and 503 before': ({ isCleanBefore }) => (isCleanBefore ? 'yes' : 'NO'),
  'endpoint moved to served, ms': ({ endpoint }) => formatChange(endpoint),
  '  without a session cookie': ({ withoutCookie }) => formatChange(withoutCookie),
  '  while another one is checked': ({ meanwhile }) => formatChange(meanwhile),
  'certificate renewed to served, ms': ({ certificate }) => formatChange(certificate),
  'reloads in an hour of noise': ({ hourReloads }) => `${hourReloads}`,
  'reloads in 5 s, 200 changes': ({ burstReloads }) => `${burstReloads}`,
  'lost in reloads at 500/s': ({ loaded }) =>
    loaded === null ? '-' : `${loaded.lost} of ${loaded.asked} in ${loaded.reloads}`,
  '  the same load without reloads': ({ loaded }) =>
    loaded === null ? '-' : `${loaded.withoutReloads.lost} of ${loaded.withoutReloads.asked}`,
  'start to first 200, ms': ({ startMs }) => startMs.toFixed(0),
  'controller, resident MB': ({ routerKb }) => mb(routerKb),
  'supervisor, resident MB': ({ supervisorKb }) => mb(supervisorKb),
  'HAProxy, resident MB': ({ haproxyKb }) => mb(haproxyKb),
};

/** Each figure as median / min / max of the rounds. */
export function formatLive(live: readonly LiveFigures[]): string {
  const line = (name: string, cells: readonly string[]): string =>
    [name.padEnd(36), ...cells.map((cell) => cell.padEnd(32))].join('').trimEnd();
  return [
    line(
      'a running router, routes',
      live.map(({ routes }) => `${routes}`),
    ),
    ...Object.entries(rows).map(([name, cell]) => line(name, live.map(cell))),
  ].join('\n');
}
