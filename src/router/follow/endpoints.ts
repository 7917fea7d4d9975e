import * as z from 'zod/mini';
import { exactList } from '../../engine/system/exact-list.ts';
import { metadata } from '../metadata.ts';
import { plainWord } from '../safe-text.ts';
import { reader } from './reading.ts';

/** The ready TCP endpoints of a service, read from one EndpointSlice or Endpoints object. */
export interface ServiceEndpoints {
  readonly from: 'EndpointSlice' | 'Endpoints';
  readonly namespace: string;
  readonly service: string;
  readonly subsets: readonly EndpointSubset[];
  /** The slice lists host names (address type FQDN), so `subsets` is empty. */
  readonly hasHostNames?: true;
}

/** Every address serves every port. */
export interface EndpointSubset {
  readonly ports: readonly EndpointPort[];
  readonly addresses: readonly EndpointAddress[];
  /** Ports or addresses beyond the limit were dropped. */
  readonly isTruncated?: true;
}

export interface EndpointPort {
  /** '' for the unnamed port of a service with one port. */
  readonly name: string;
  readonly port: number;
  /** The pod speaks HTTP/2 without TLS. */
  readonly h2c: boolean;
}

interface EndpointAddress {
  /** Not validated yet. */
  readonly address: string;
  readonly pod?: string;
}

/** The most addresses, and the most ports, that a subset keeps: as many as one service may have servers. */
const MAX_IN_SUBSET = 5_000;

const text = z.nullish(z.string());
const ports = z.nullish(
  z.array(z.object({ name: text, port: z.nullish(z.number()), protocol: text, appProtocol: text })),
);
const targetRef = z.nullish(z.object({ kind: text, name: text }));

const slice = z.object({
  metadata: z.extend(metadata, { labels: z.nullish(z.record(z.string(), z.unknown())) }),
  addressType: text,
  endpoints: z.nullish(
    z.array(
      z.object({
        addresses: z.nullish(z.array(z.string())),
        conditions: z.nullish(z.object({ ready: z.nullish(z.boolean()) })),
        targetRef,
      }),
    ),
  ),
  ports,
});

/** Reads discovery.k8s.io/v1. Unknown readiness means ready, as the API's documentation requires. */
export const readEndpointSlice = reader(slice, (object): ServiceEndpoints => {
  const service = object.metadata.labels?.['kubernetes.io/service-name'];
  const ready = (object.endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false);
  const addresses = ready.flatMap((endpoint) =>
    (endpoint.addresses ?? []).map((address) => addressOf(address, endpoint.targetRef)),
  );
  const hasHostNames = object.addressType === 'FQDN';
  return {
    from: 'EndpointSlice',
    namespace: object.metadata.namespace,
    service: typeof service === 'string' ? service : '',
    subsets: hasHostNames ? [] : [subsetOf(portsOf(object.ports), addresses)],
    ...(hasHostNames && addresses.length > 0 && { hasHostNames }),
  };
});

const endpoints = z.object({
  metadata,
  subsets: z.nullish(
    z.array(z.object({ addresses: z.nullish(z.array(z.object({ ip: z.string(), targetRef }))), ports })),
  ),
});

/** Reads core v1. Endpoints that are not ready are in `notReadyAddresses`, which is not read. */
export const readEndpoints = reader(
  endpoints,
  (object): ServiceEndpoints => ({
    from: 'Endpoints',
    namespace: object.metadata.namespace,
    service: object.metadata.name,
    subsets: (object.subsets ?? []).map((subset) =>
      subsetOf(
        portsOf(subset.ports),
        (subset.addresses ?? []).map(({ ip, targetRef }) => addressOf(ip, targetRef)),
      ),
    ),
  }),
);

function subsetOf(ports: readonly EndpointPort[], addresses: readonly EndpointAddress[]): EndpointSubset {
  const isTruncated = ports.length > MAX_IN_SUBSET || addresses.length > MAX_IN_SUBSET;
  return {
    ports: exactList(ports.slice(0, MAX_IN_SUBSET)),
    addresses: exactList(addresses.slice(0, MAX_IN_SUBSET)),
    ...(isTruncated && { isTruncated }),
  };
}

function portsOf(list: z.infer<typeof ports>): readonly EndpointPort[] {
  return (list ?? []).flatMap(({ name, port, protocol, appProtocol }) => {
    const isPort = typeof port === 'number' && Number.isInteger(port) && port >= 1 && port <= 65_535;
    const isNamed = name === undefined || name === null || name === '' || plainWord.test(name);
    if (!isPort || !isNamed || (protocol ?? 'TCP') !== 'TCP') return [];
    return [{ name: name ?? '', port, h2c: ['h2c', 'kubernetes.io/h2c'].includes(appProtocol ?? '') }];
  });
}

/** Drops a target name that cannot be a pod's, since it may contain any characters. */
function addressOf(address: string, target: z.infer<typeof targetRef>): EndpointAddress {
  const pod = target?.kind === 'Pod' ? (target.name ?? '') : '';
  return plainWord.test(pod) && pod.length <= 253 ? { address, pod } : { address };
}
