import { createHash } from 'node:crypto';
import { oncePer } from '../../engine/system/once-per.ts';
import { changedSpan, isSameList, whileSame } from '../../engine/system/same-list.ts';
import type { EndpointPort, EndpointSubset, ServiceEndpoints } from '../objects/endpoints.ts';
import { keyOf } from '../objects/metadata.ts';
import type { Service } from '../objects/service.ts';
import { checkAddress } from './safe-address.ts';

/** One endpoint of a service: an address with a port. */
export interface Endpoint {
  /** `pod:NAME:SERVICE:PORT_NAME:ADDRESS:PORT`, or `ept:…` without a pod. */
  readonly id: string;
  /** What a client's cookie says: the MD5 of the id, so that it tells no address. */
  readonly cookie: string;
  readonly address: string;
  readonly port: number;
  readonly portName: string;
  readonly h2c: boolean;
  /** A cluster IP that wakes an idled service. */
  readonly isWaking: boolean;
}

export interface EndpointsOfService {
  /** Of TCP, ready, safe and each once; in the order of their ids. */
  readonly endpoints: readonly Endpoint[];
  /** Addresses that may not be used, and why. */
  readonly refused: readonly string[];
}

const none: EndpointsOfService = { endpoints: [], refused: [] };

export type FindEndpoints = (key: string) => EndpointsOfService;

interface FoundEndpoints {
  readonly find: FindEndpoints;
  /** The services of which something else may be found than with the lists before. Undefined: of any. */
  readonly changed: ReadonlySet<string> | undefined;
}

/**
 * By `namespace:service`, for one list of objects after another. The order of the objects makes no difference. Of a service whose objects
 * are the same ones as in the list before, the answer is the same object as well.
 */
export function createServiceEndpoints(): (
  objects: readonly ServiceEndpoints[],
  services: readonly Service[],
) => FoundEndpoints {
  let last: Asked | undefined;
  const serviceKey = oncePer(({ namespace, service }: ServiceEndpoints) =>
    keyOf({ namespace, name: service }),
  );
  const byKey = whileSame(
    (services: readonly Service[]) => new Map(services.map((service) => [keyOf(service), service])),
  );
  /**
   * Of thousands of objects one has changed: only its service is asked for again. Objects of one service that have moved in the list each take
   * another's place, so that all of them are exchanged at once.
   */
  const withNewer = (before: Asked, objects: readonly ServiceEndpoints[]): Asked | undefined => {
    if (before.objects.length !== objects.length) return undefined;
    const newer = new Map<ServiceEndpoints, ServiceEndpoints>();
    const { start, end } = changedSpan(before.objects, objects);
    for (let index = start; index < objects.length - end; index += 1) {
      const [old, now] = [before.objects[index], objects[index]];
      if (old === now) continue;
      if (old === undefined || now === undefined || serviceKey(old) !== serviceKey(now)) return undefined;
      newer.set(old, now);
    }
    const { byService, known } = before;
    const changed = new Set([...newer.keys()].map(serviceKey));
    for (const key of changed) {
      const objectsBefore = byService.get(key) ?? [];
      byService.set(
        key,
        objectsBefore.map((each) => newer.get(each) ?? each),
      );
      known.delete(key);
    }
    return { ...before, objects, changed };
  };
  const askAnew = (objects: readonly ServiceEndpoints[], services: Asked['services']): Asked => ({
    ...{ objects, services, byService: Map.groupBy(objects, serviceKey) },
    ...{ known: new Map(), before: last?.known ?? new Map(), changed: undefined },
  });
  return (objects, list) => {
    const services = byKey(list);
    const asked = last?.services === services ? withNewer(last, objects) : undefined;
    const { byService, known, before, changed } = asked ?? askAnew(objects, services);
    last = asked ?? { objects, services, byService, known, before: new Map(), changed };
    const find: FindEndpoints = (key) => {
      const same = known.get(key);
      if (same !== undefined) return same.endpoints;
      const [found, service] = [byService.get(key) ?? [], services.get(key)];
      if (found.length === 0 && service === undefined) return none;
      const old = before.get(key);
      const isAsBefore = old !== undefined && old.service === service && isSameList(old.objects, found);
      const now = isAsBefore
        ? old
        : { objects: found, service, endpoints: endpointsOfService(key, found, service) };
      known.set(key, now);
      return now.endpoints;
    };
    return { find, changed };
  };
}

/** The last lists, and what was answered. */
interface Asked {
  readonly objects: readonly ServiceEndpoints[];
  readonly services: ReadonlyMap<string, Service>;
  readonly byService: Map<string, readonly ServiceEndpoints[]>;
  readonly known: Map<string, Known>;
  /** Answers of the lists before. */
  readonly before: ReadonlyMap<string, Known>;
  readonly changed: FoundEndpoints['changed'];
}

/** An answer, and what it was made of. */
interface Known {
  readonly objects: readonly ServiceEndpoints[];
  readonly service: Service | undefined;
  readonly endpoints: EndpointsOfService;
}

function endpointsOfService(
  key: string,
  found: readonly ServiceEndpoints[],
  service: Service | undefined,
): EndpointsOfService {
  // A cluster mirrors each object into the other kind: one of them is enough.
  const slices = found.filter(({ from }) => from === 'EndpointSlice');
  const name = key.slice(key.indexOf(':') + 1);
  const ready = endpointsOf(
    name,
    (slices.length > 0 ? slices : found).flatMap((each) => each.subsets),
  );
  const isIdle = ready.endpoints.length === 0 && ready.refused.length === 0 && service?.isIdled === true;
  return isIdle && service.clusterIp !== '' ? wakingEndpoints(service) : ready;
}

function endpointsOf(
  service: string,
  subsets: readonly EndpointSubset[],
  isWaking = false,
): EndpointsOfService {
  if (subsets.length === 0) return none;
  const endpoints = new Map<string, Endpoint>();
  const refused = new Set<string>();
  for (const { addresses, ports } of subsets)
    for (const { address: text, pod } of addresses) {
      const checked = checkAddress(text);
      if (checked.kind === 'unsafe') {
        refused.add(`an endpoint of service ${service} is not used: ${checked.reason}`);
        continue;
      }
      for (const port of ports) {
        const endpoint = endpointAt(service, checked.address, port, pod, isWaking);
        // Objects that disagree about HTTP/2 give the answer that every pod understands, in whatever order they come.
        const twin = endpoints.get(endpoint.id);
        endpoints.set(endpoint.id, { ...endpoint, h2c: endpoint.h2c && twin?.h2c !== false });
      }
    }
  return {
    endpoints: [...endpoints.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    refused: [...refused].sort(),
  };
}

function endpointAt(
  service: string,
  address: string,
  { name, port, h2c }: EndpointPort,
  pod: string | undefined,
  isWaking: boolean,
): Endpoint {
  const who = pod === undefined ? 'ept' : `pod:${pod}`;
  const id = `${who}:${service}:${name}:${address}:${port}`;
  const cookie = createHash('md5').update(id).digest('hex');
  return { id, cookie, address, port, portName: name, h2c, isWaking };
}

/** A connection to the cluster IP makes the cluster start the pods, and waits for them. */
function wakingEndpoints({ name, clusterIp, ports }: Service): EndpointsOfService {
  const subset = {
    addresses: [{ address: clusterIp }],
    ports: ports.map((port) => ({ ...port, h2c: false })),
  };
  return endpointsOf(name, [subset], true);
}
