import { isIP } from 'node:net';
import { isSafeText } from '../engine/render/safe-text.ts';
import type { SliceFacts } from './endpoint-slice.ts';
import { type PodFacts, proxyNameOf } from './pod/pod.ts';
import type { TemplateModel } from './template/template-model.ts';

export type Hosts = TemplateModel['hosts'];

/** One address of a downstream group. */
export interface Downstream {
  readonly group: string;
  /** The pod's name. It determines the order, so that `db-0` is the first server whichever pod started first. */
  readonly name: string;
  readonly address: string;
}

/** The ready pods that name this proxy, by their label `app`. Those with the proxy's own label are its replicas. */
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
 * The ready endpoints of Services, by the Service's name. The proxy's own are left out: the Service with the proxy's name, and each slice
 * that has this pod. Such a slice says nothing about others of its Service: anybody who may write slices can claim that name.
 */
export function downstreamEndpoints(own: PodFacts, slices: readonly SliceFacts[]): readonly Downstream[] {
  const proxy = proxyNameOf(own);
  const isOwn = ({ service, endpoints }: SliceFacts): boolean =>
    `${service}.${own.namespace}` === proxy ||
    endpoints.some(({ name, addresses }) => name === own.name || addresses.includes(own.address ?? ''));
  const downstreams = slices
    .filter((slice) => !isOwn(slice))
    .flatMap(({ service: group, endpoints }) =>
      endpoints
        .filter(({ isReady }) => isReady)
        .flatMap(({ name, addresses }) => addresses.map((address) => ({ group, name, address }))),
    );
  return inOrder(downstreams);
}

/** Sorted. Invalid addresses, and group names that are not a single safe word, are dropped. */
function inOrder(downstreams: readonly Downstream[]): readonly Downstream[] {
  const usable = downstreams.filter(({ group, address }) => isIP(address) !== 0 && isSafeText(group));
  return usable.toSorted(compare);
}

/** As the template receives them: each address of a group once. */
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
