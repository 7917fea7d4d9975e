import type { Row, Section } from './table.ts';

const sizes = { small: 100, medium: 1_000, large: 10_000 } as const;

function routerRow(what: string, unit: string, figure: string, about: Partial<Row> = {}): Row {
  const cells = Object.fromEntries(
    Object.entries(sizes).map(([size, routes]) => [size, `router#live/[name=${routes} routes]/${figure}`]),
  );
  return { what, unit, better: 'less', cells, ...about };
}

/** From the part of the bench that renders and sends requests without a running router. */
function costRow(
  what: string,
  unit: string,
  figure: (routes: number) => string,
  about: Partial<Row> = {},
): Row {
  const cells = Object.fromEntries(
    Object.entries(sizes).map(([size, routes]) => [size, `router#${figure(routes)}`]),
  );
  return { what, unit, better: 'less', cells, ...about };
}

const results = (what: string, unit: string, figure: string, atMost: number): Row => ({
  what,
  unit,
  better: 'less',
  cells: { large: `router#results/${figure}` },
  goal: { atMost, column: 'large' },
});

const atLarge = (atMost: number): Pick<Row, 'goal'> => ({ goal: { atMost, column: 'large' } });

/** The figures an operator of a router needs. */
export const router: Section = {
  title: 'Router',
  about: `A running router with its HAProxy and three endpoints per route (\`npm run bench:router\`). "Upstream" renders and writes everything for each
change and reloads without a check, with regular-expression maps. An hour of noise is crashing pods, renewed certificates and Routes written without a change.`,
  columns: { small: '100 routes', medium: '1,000 routes', large: '10,000 routes' },
  isPlain: true,
  rows: [
    routerRow('route created to first 200', 'ms', 'createdMs', atLarge(2_000)),
    routerRow('the same, upstream', 'ms', 'upstreamCreatedMs'),
    routerRow('endpoint moved to served', 'ms', 'endpoint/ms', atLarge(50)),
    routerRow('certificate renewed to served', 'ms', 'certificate/ms', atLarge(50)),
    routerRow('one of 5,000 certificates renewed to served', 'ms', '', {
      goal: { atMost: 50, column: 'large' },
      cells: { large: 'router#oneOfMany/ms' },
    }),
    costRow(
      "HAProxy's CPU time per request",
      'µs',
      (routes) => `requests/[routes=${routes},lookup=hash]/hundredHostsUs`,
    ),
    costRow(
      "the same with OpenShift router's maps",
      'µs',
      (routes) => `requests/[routes=${routes},lookup=regex]/hundredHostsUs`,
    ),
    results("HAProxy's memory per route", 'kB', 'residentKbPerRoute', 35),
    routerRow('reloads for moved endpoints', '', 'endpoint/reloads', atLarge(0)),
    routerRow('reloads for renewed certificates', '', 'certificate/reloads', atLarge(0)),
    routerRow('reloads in an hour of noise', '', 'hourReloads', atLarge(0)),
    routerRow('connections lost in 100 reloads at 500 a second', '', 'loaded/lost', {
      goal: { atMost: 0, column: 'small' },
      cells: { small: 'router#live/[name=100 routes]/loaded/lost' },
    }),
    routerRow('HAProxy, resident', 'MB', 'haproxyKb', { scale: 1 / 1_024 }),
  ],
};

export const routerDetails: Section = {
  ...router,
  title: 'Router: further figures',
  about: 'From the same runs.',
  rows: [
    routerRow('only 404 and 503 before the first 200', '', 'isCleanBefore'),
    routerRow('the same, a route without a session cookie', 'ms', 'withoutCookie/ms', atLarge(50)),
    costRow('all rendered and written', 'ms', (routes) => `renders/[routes=${routes}]/allMs`, atLarge(500)),
    costRow(
      'the same after one change',
      'ms',
      (routes) => `renders/[routes=${routes}]/changedMs`,
      atLarge(50),
    ),
    results('a request, 10,000 routes against 100', '×', 'requestRatio', 1.15),
    results('1,000 statuses complete', 'ms', 'statusesCompleteMs', 2_000),
    results('writes for each of them', '', 'statusWritesPerRoute', 1),
    routerRow('reloads in 5 s, of 200 changes in one, RELOAD_INTERVAL 5 s', '', 'burstReloads', atLarge(2)),
    routerRow('controller, resident', 'MB', 'routerKb', { scale: 1 / 1_024, ...atLarge(150) }),
    routerRow('supervisor, resident', 'MB', 'supervisorKb', { scale: 1 / 1_024 }),
  ],
};
