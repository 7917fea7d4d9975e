import type { Spread } from '../reload/figures.ts';
import type { RenderCost } from './render-cost.ts';
import type { StatusCost } from './status-cost.ts';

export const lookups = ['hash', 'regex'] as const;

type Lookup = (typeof lookups)[number];

export type RenderFigures = { readonly routes: number } & Readonly<Record<keyof RenderCost, Spread | null>>;

export interface RequestFigures {
  readonly routes: number;
  readonly lookup: Lookup;
  /** HAProxy's memory before its first request. */
  readonly residentKb: number;
  /** Requests to a hundred hosts, whatever the number of routes. */
  readonly hundredHostsUs: Spread | null;
  /** Requests to all hosts in turn, so that connections to pods are seldom reused. */
  readonly allHostsUs: Spread | null;
}

/** The cost with the largest number of routes relative to the smallest. */
export interface Growth {
  readonly hundredHosts: number;
  readonly allHosts: number;
  readonly residentKbPerRoute: number;
}

export function growthOf(all: readonly RequestFigures[], lookup: Lookup): Growth {
  const figures = all.filter((each) => each.lookup === lookup);
  const small = figures[0];
  const large = figures.at(-1);
  const ratio = (name: 'hundredHostsUs' | 'allHostsUs'): number =>
    (large?.[name]?.median ?? Number.NaN) / (small?.[name]?.median ?? Number.NaN);
  const moreKb = (large?.residentKb ?? Number.NaN) - (small?.residentKb ?? Number.NaN);
  return {
    hundredHosts: ratio('hundredHostsUs'),
    allHosts: ratio('allHostsUs'),
    residentKbPerRoute: moreKb / ((large?.routes ?? 0) - (small?.routes ?? 0)),
  };
}

const columns = {
  'decide ms': 'decideMs',
  'render ms': 'renderMs',
  'write ms': 'writeMs',
  'all ms': 'allMs',
  'one changed ms': 'changedMs',
  'haproxy -c CPU ms': 'checkCpuMs',
} as const satisfies Readonly<Record<string, keyof RenderCost>>;

export function formatRenders(renders: readonly RenderFigures[]): string {
  return [
    row('routes', ...Object.keys(columns)),
    ...renders.map((each) =>
      row(`${each.routes}`, ...Object.values(columns).map((name) => shown(each[name]))),
    ),
  ].join('\n');
}

export function formatRequests(figures: readonly RequestFigures[]): string {
  return [
    row('lookup, routes', '100 hosts CPU us', 'all hosts CPU us', 'resident MB'),
    ...figures.map(({ lookup, routes, hundredHostsUs, allHostsUs, residentKb }) =>
      row(`${lookup} ${routes}`, shown(hundredHostsUs), shown(allHostsUs), (residentKb / 1_024).toFixed(1)),
    ),
  ].join('\n');
}

export function formatGrowth(growth: Readonly<Record<Lookup, Growth>>): string {
  return lookups
    .map((lookup) => {
      const { hundredHosts, allHosts, residentKbPerRoute } = growth[lookup];
      const cost = `${hundredHosts.toFixed(2)} x as much (all hosts in turn: ${allHosts.toFixed(2)} x)`;
      return `${lookup}: a request costs ${cost}, a route ${residentKbPerRoute.toFixed(1)} kB of HAProxy`;
    })
    .join('\n');
}

export function formatStatuses({ routes, completeMs, writesPerRoute, quietWrites }: StatusCost): string {
  const complete = `${routes} statuses ${completeMs.toFixed(0)} ms after the last route was created`;
  return `${complete}, with ${writesPerRoute.toFixed(2)} writes a route; three replicas make ${quietWrites} writes in 10 quiet seconds`;
}

function shown(spread: Spread | null): string {
  if (spread === null) return '-';
  const [median, min, max] = [spread.median, spread.min, spread.max].map((value) => value.toFixed(0));
  return `${median} (${min}-${max})`;
}

function row(...cells: readonly string[]): string {
  return cells.map((cell) => cell.padEnd(19)).join('');
}
