import { isIP } from 'node:net';
import { isSafeText } from '../engine/render/safe-text.ts';
import { type PodFacts, proxyNameOf } from './pod/pod.ts';
import type { Problem } from './proxy-status.ts';
import type { SliceFacts } from './resources.ts';
import type { TemplateModel } from './template/jinja.ts';

export type Hosts = TemplateModel['hosts'];

export interface Downstream {
  readonly group: string;
  /** The pod's name. It determines the order, so that `db-0` is the first server whichever pod started first. */
  readonly name: string;
  readonly address: string;
  /** Its rank within its EndpointSlice. */
  readonly rank?: number;
}

/** The ready pods that name this proxy, grouped by their label `app`. Pods with the proxy's own label are its replicas and are excluded. */
export function downstreamPods(own: PodFacts, pods: readonly PodFacts[]): readonly Downstream[] {
  const proxy = proxyNameOf(own);
  const downstreams = pods.flatMap(({ name, namespace, group, master, address, isReady }) => {
    const isOwn = group === own.group || (name === own.name && namespace === own.namespace);
    const counts = isReady && !isOwn && master === proxy && group !== undefined && address !== undefined;
    return counts ? [{ group, name, address }] : [];
  });
  return inOrder(downstreams);
}

/**
 * The ready endpoints of Services, grouped by the Service's name. Excludes the Service with the proxy's name, and each slice that contains
 * this pod. Such a slice does not exclude the other slices of its Service, because anyone who can write slices can use that name.
 */
export function downstreamEndpoints(own: PodFacts, slices: readonly SliceFacts[]): readonly Downstream[] {
  const proxy = proxyNameOf(own);
  const isOwn = ({ service, endpoints }: SliceFacts): boolean =>
    `${service}.${own.namespace}` === proxy ||
    endpoints.some(({ name, addresses }) => name === own.name || addresses.includes(own.address ?? ''));
  const downstreams = slices
    .filter((slice) => !isOwn(slice))
    .flatMap(({ service: group, endpoints }) => {
      const ready = endpoints.filter(({ isReady }) => isReady);
      const all = ready.flatMap(({ name, addresses }) =>
        addresses.map((address) => ({ group, name, address })),
      );
      return inOrder(all).map((each, rank) => ({ ...each, rank }));
    });
  return inOrder(downstreams);
}

/** Sorts the downstreams. Drops invalid addresses and group names that are not a single safe word. */
function inOrder(downstreams: readonly Downstream[]): readonly Downstream[] {
  const usable = downstreams.filter(({ group, address }) => isIP(address) !== 0 && isSafeText(group));
  return usable.toSorted(compare);
}

/** The hosts for the template, with each address once per group. */
export function hostsOf(downstreams: readonly Downstream[]): Hosts {
  const groups = Map.groupBy(downstreams, ({ group }) => group);
  return Object.fromEntries(
    [...groups].map(([group, members]) => [group, [...new Set(members.map(({ address }) => address))]]),
  );
}

/** Numbers compare by value: `db-2` comes before `db-10`. */
const words = new Intl.Collator('en', { numeric: true });

function compare(a: Downstream, b: Downstream): number {
  const keys = ['group', 'name', 'address'] as const;
  const differing = keys.find((key) => a[key] !== b[key]);
  if (differing === undefined) return 0;
  return words.compare(a[differing], b[differing]) || (a[differing] < b[differing] ? -1 : 1);
}

/** The limit for one group. */
export const MAX_GROUP_ADDRESSES = 2_000;
/** The limit for all groups. It leaves a template 100 characters per address within its output limit. */
export const MAX_ADDRESSES = 5_000;

export interface Limited {
  readonly downstreams: readonly Downstream[];
  /** Undefined if all addresses are used. The message does not change with every pod. */
  readonly problem: Problem | undefined;
}

/**
 * Limits groups with too many addresses, so that one group cannot prevent the others from being served. A group of pods keeps its first
 * addresses in the given order. A group of EndpointSlices keeps as many of each slice, so that a forged one with a thousand endpoints does not
 * push out the others. If all groups together have too many, the largest are cut to the same size and small groups stay complete.
 */
export function limitGroups(downstreams: readonly Downstream[]): Limited {
  const groups = Map.groupBy(downstreams, ({ group }) => group);
  const counts = new Map([...groups].map(([group, members]) => [group, members.length]));
  const share = Math.max(1, shareOf([...counts.values()], MAX_ADDRESSES));
  const size = Math.min(MAX_GROUP_ADDRESSES, share);
  const kept = [...groups.values()].flatMap((members) => {
    if (members.length <= size) return members;
    const ranked = members.toSorted(({ rank: a = 0 }, { rank: b = 0 }) => a - b);
    return inOrder(ranked.slice(0, size));
  });
  return { downstreams: kept.slice(0, MAX_ADDRESSES), problem: problemOf(counts, share) };
}

/** The largest size to which each group can be cut so that all have at most `limit` together. */
function shareOf(counts: readonly number[], limit: number): number {
  let left = limit;
  const ascending = counts.map((count) => Math.min(count, MAX_GROUP_ADDRESSES)).toSorted((a, b) => a - b);
  for (const [index, count] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (count > share) return share;
    left -= count;
  }
  return Number.POSITIVE_INFINITY;
}

function problemOf(counts: ReadonlyMap<string, number>, share: number): Problem | undefined {
  const reason = 'AddressesLimited';
  const first = [...counts].find(([, count]) => count > MAX_GROUP_ADDRESSES)?.[0];
  if (first !== undefined)
    return {
      reason,
      message: `Cannot use all addresses of group "${first}": it has more than MAX_GROUP_ADDRESSES (${MAX_GROUP_ADDRESSES}), and the others are not used`,
    };
  if (share === Number.POSITIVE_INFINITY) return undefined;
  return {
    reason,
    message: `Cannot use all addresses: the groups have more than MAX_ADDRESSES (${MAX_ADDRESSES}) together, and the largest are cut`,
  };
}
