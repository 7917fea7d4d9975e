import { groupChanged } from '../../engine/system/group-changed.ts';
import { oncePer } from '../../engine/system/once-per.ts';
import type { EndpointPort, EndpointSubset, ServiceEndpoints } from '../follow/endpoints.ts';
import type { Service } from '../follow/service.ts';
import { keyOf } from '../metadata.ts';
import { checkAddress, type DeniedEndpoints } from '../safe-address.ts';

/** One endpoint of a service: an address and a port. */
export interface Endpoint {
  /** `pod:NAME:SERVICE:PORT_NAME:ADDRESS:PORT`, or `ept:…` without a pod. */
  readonly id: string;
  readonly address: string;
  readonly port: number;
  readonly portName: string;
  readonly h2c: boolean;
  /** The cluster IP of an idled service; a connection to it wakes the service. */
  readonly isWaking: boolean;
}

export interface EndpointsOfService {
  /** Ready TCP endpoints with the requested port and a safe address, each once, sorted by id. */
  readonly endpoints: readonly Endpoint[];
  /** No endpoint has the requested port, but some have other ports. */
  readonly hasOtherPorts: boolean;
  /** Why addresses are not used, and whether the service exceeds the limit. */
  readonly refused: readonly string[];
}

const none: EndpointsOfService = { endpoints: [], hasOtherPorts: false, refused: [] };

/** `key` is `namespace:service`; `targetPort` is a port's name or number, or undefined for every port of the service. */
export type FindEndpoints = (key: string, targetPort: string | undefined) => EndpointsOfService;

/** The most pairs of address and port per service: one EndpointSlice may have a thousand addresses and twenty thousand ports. */
const MAX_SERVERS = 5_000;

interface EndpointLookup {
  /** Results are cached by this function only: just the servers of the backends outlive it. */
  readonly find: FindEndpoints;
  /** The services whose endpoints may have changed since the last call. */
  readonly changed: ReadonlySet<string>;
}

/** For successive lists of objects, in any order. Only added and removed objects are processed. */
export function createServiceEndpoints(
  denied: DeniedEndpoints = { networks: [] },
): (objects: readonly ServiceEndpoints[], services: readonly Service[]) => EndpointLookup {
  const objectsOf = groupChanged(({ namespace, service }: ServiceEndpoints) =>
    keyOf({ namespace, name: service }),
  );
  const servicesOf = groupChanged<Service>(keyOf);
  return (objects, services) => {
    const changed = new Set([...objectsOf.take(objects), ...servicesOf.take(services)]);
    const cache = new Map<string, EndpointsOfService>();
    // A service's addresses are the same for every port that routes name.
    const checkedOf = oncePer((addresses: Addresses) =>
      addresses.map(({ address, pod }) => ({ pod, checked: checkAddress(address, denied.networks) })),
    );
    const find: FindEndpoints = (key, targetPort) => {
      const query = `${key} ${targetPort ?? ''}`;
      const found =
        cache.get(query) ??
        endpointsOfService(key, objectsOf.of(key), servicesOf.of(key)[0], { targetPort, denied, checkedOf });
      cache.set(query, found);
      return found;
    };
    return { find, changed };
  };
}

type Addresses = EndpointSubset['addresses'];

interface CheckedEndpoint {
  readonly pod: string | undefined;
  readonly checked: ReturnType<typeof checkAddress>;
}

interface Query {
  /** A port's name or number; undefined for every port. */
  readonly targetPort: string | undefined;
  readonly denied: DeniedEndpoints;
  /** The verdict on each address, in order. */
  readonly checkedOf: (addresses: Addresses) => readonly CheckedEndpoint[];
}

function endpointsOfService(
  key: string,
  found: readonly ServiceEndpoints[],
  service: Service | undefined,
  query: Query,
): EndpointsOfService {
  // The cluster mirrors EndpointSlices and Endpoints into each other, so one kind suffices.
  const slices = found.filter(({ from }) => from === 'EndpointSlice');
  const name = key.slice(key.indexOf(':') + 1);
  const used = slices.length > 0 ? slices : found;
  const ready = endpointsOf(
    name,
    used.flatMap((each) => each.subsets),
    query,
  );
  const hasNone = ready.endpoints.length === 0 && !ready.hasOtherPorts && ready.refused.length === 0;
  if (hasNone && service?.isIdled === true && service.clusterIp !== '')
    return wakingEndpoints(service, query);
  return slices.some(({ hasHostNames }) => hasHostNames === true) ? withNames(name, ready) : ready;
}

/** A host name could resolve to the router's own node or a metadata service at any time. */
function withNames(service: string, found: EndpointsOfService): EndpointsOfService {
  const remark = `endpoints of service ${service} are not used: the router does not resolve host names, expected IP addresses`;
  return { ...found, refused: [...found.refused, remark].sort() };
}

function endpointsOf(
  service: string,
  all: readonly EndpointSubset[],
  { targetPort, denied, checkedOf, isWaking = false }: Query & { readonly isWaking?: boolean },
): EndpointsOfService {
  if (all.length === 0) return none;
  const subsets = all.map((subset) => withPort(subset, targetPort));
  const exceedsLimit = subsets.reduce((sum, subset) => sum + costOf(subset), 0) > MAX_SERVERS;
  const endpoints = new Map<string, Endpoint>();
  const reasons = new Set<string>();
  let left = MAX_SERVERS;
  let hasOtherPorts = false;
  for (const { addresses, ports, hasOtherPort } of exceedsLimit ? inOrder(subsets) : subsets) {
    if (left <= 0) break;
    for (const { pod, checked } of checkedOf(addresses)) {
      left -= Math.max(1, ports.length);
      if (left < 0) break;
      if (checked.kind === 'unsafe') {
        reasons.add(checked.reason);
        continue;
      }
      hasOtherPorts ||= hasOtherPort;
      for (const port of ports) {
        if (denied.own?.addresses.has(checked.address) && denied.own.ports.has(port.port)) {
          reasons.add('the router itself');
          continue;
        }
        const endpoint = endpointAt(service, checked.address, port, pod, isWaking);
        // If objects disagree about HTTP/2, HTTP/1 wins: every pod understands it. The order of the objects does not matter.
        const twin = endpoints.get(endpoint.id);
        endpoints.set(endpoint.id, { ...endpoint, h2c: endpoint.h2c && twin?.h2c !== false });
      }
    }
  }
  const refused = [...reasons].map((reason) => `an endpoint of service ${service} is not used: ${reason}`);
  if (exceedsLimit || subsets.some(({ isTruncated }) => isTruncated))
    refused.push(
      `service ${service} has too many endpoints and some are not used, expected at most ${MAX_SERVERS} pairs of address and port`,
    );
  return {
    endpoints: [...endpoints.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    hasOtherPorts: hasOtherPorts && endpoints.size === 0,
    refused: refused.sort(),
  };
}

interface PortSubset extends EndpointSubset {
  /** It has ports, but not the requested one. */
  readonly hasOtherPort: boolean;
}

function withPort(subset: EndpointSubset, targetPort: string | undefined): PortSubset {
  if (targetPort === undefined) return { ...subset, hasOtherPort: false };
  const ports = subset.ports.filter(({ name, port }) => name === targetPort || `${port}` === targetPort);
  return { ...subset, ports, hasOtherPort: ports.length === 0 && subset.ports.length > 0 };
}

function costOf({ addresses, ports }: EndpointSubset): number {
  return addresses.length * Math.max(1, ports.length);
}

/** Sorts the subsets, so that all replicas use the same ones in whatever order they were listed. */
function inOrder(subsets: readonly PortSubset[]): readonly PortSubset[] {
  const keyed = subsets.map((subset) => {
    const address = subset.addresses[0]?.address;
    const port = subset.ports[0];
    return { subset, key: `${address} ${port?.name} ${port?.port} ${costOf(subset)}` };
  });
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ subset }) => subset);
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

/** A connection to the cluster IP makes the cluster start the pods, and then waits for them. */
function wakingEndpoints({ name, clusterIp, ports }: Service, query: Query): EndpointsOfService {
  const subset = {
    addresses: [{ address: clusterIp }],
    ports: ports.map((port) => ({ ...port, h2c: false })),
  };
  return endpointsOf(name, [subset], { ...query, isWaking: true });
}
