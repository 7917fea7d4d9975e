import { groupChanged } from '../../engine/system/group-changed.ts';
import type { EndpointPort, EndpointSubset, ServiceEndpoints } from '../objects/endpoints.ts';
import { keyOf } from '../objects/metadata.ts';
import type { Service } from '../objects/service.ts';
import { checkAddress, type DeniedPlaces } from './safe-address.ts';

/** One endpoint of a service: an address with a port. */
export interface Endpoint {
  /** `pod:NAME:SERVICE:PORT_NAME:ADDRESS:PORT`, or `ept:…` without a pod. */
  readonly id: string;
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

/** By `namespace:service`. */
export type FindEndpoints = (key: string) => EndpointsOfService;

interface FoundEndpoints {
  /** What it has found is forgotten with it: what stays of endpoints are the servers of backends. */
  readonly find: FindEndpoints;
  /** The services of which something else may be found than with the lists before. */
  readonly changed: ReadonlySet<string>;
}

/** For one list of objects after another. Their order makes no difference. Only those that have come or gone are looked at. */
export function createServiceEndpoints(
  denied: DeniedPlaces = { networks: [] },
): (objects: readonly ServiceEndpoints[], services: readonly Service[]) => FoundEndpoints {
  const objectsOf = groupChanged(({ namespace, service }: ServiceEndpoints) =>
    keyOf({ namespace, name: service }),
  );
  const servicesOf = groupChanged<Service>(keyOf);
  return (objects, services) => {
    const changed = new Set([...objectsOf.take(objects), ...servicesOf.take(services)]);
    const known = new Map<string, EndpointsOfService>();
    const find: FindEndpoints = (key) => {
      const found =
        known.get(key) ?? endpointsOfService(key, objectsOf.of(key), servicesOf.of(key)[0], denied);
      known.set(key, found);
      return found;
    };
    return { find, changed };
  };
}

function endpointsOfService(
  key: string,
  found: readonly ServiceEndpoints[],
  service: Service | undefined,
  denied: DeniedPlaces,
): EndpointsOfService {
  // A cluster mirrors each object into the other kind: one of them is enough.
  const slices = found.filter(({ from }) => from === 'EndpointSlice');
  const name = key.slice(key.indexOf(':') + 1);
  const ready = endpointsOf(
    name,
    (slices.length > 0 ? slices : found).flatMap((each) => each.subsets),
    denied,
  );
  const isIdle = ready.endpoints.length === 0 && ready.refused.length === 0 && service?.isIdled === true;
  if (isIdle && service.clusterIp !== '') return wakingEndpoints(service, denied);
  return slices.some(({ isOfNames }) => isOfNames === true) ? withNames(name, ready) : ready;
}

/** A name could be the router's own node, or a metadata service, whenever it is asked for. */
function withNames(service: string, { endpoints, refused }: EndpointsOfService): EndpointsOfService {
  const remark = `endpoints of service ${service} are not used: names of hosts, which the router does not look up, expected addresses`;
  return { endpoints, refused: [...refused, remark].sort() };
}

function endpointsOf(
  service: string,
  subsets: readonly EndpointSubset[],
  denied: DeniedPlaces,
  isWaking = false,
): EndpointsOfService {
  if (subsets.length === 0) return none;
  const endpoints = new Map<string, Endpoint>();
  const refused = new Set<string>();
  for (const { addresses, ports } of subsets)
    for (const { address: text, pod } of addresses) {
      const checked = checkAddress(text, denied.networks);
      if (checked.kind === 'unsafe') {
        refused.add(`an endpoint of service ${service} is not used: ${checked.reason}`);
        continue;
      }
      for (const port of ports) {
        if (denied.own?.addresses.has(checked.address) && denied.own.ports.has(port.port)) {
          refused.add(`an endpoint of service ${service} is not used: the router itself`);
          continue;
        }
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
  return { id, address, port, portName: name, h2c, isWaking };
}

/** A connection to the cluster IP makes the cluster start the pods, and waits for them. */
function wakingEndpoints({ name, clusterIp, ports }: Service, denied: DeniedPlaces): EndpointsOfService {
  const subset = {
    addresses: [{ address: clusterIp }],
    ports: ports.map((port) => ({ ...port, h2c: false })),
  };
  return endpointsOf(name, [subset], denied, true);
}
