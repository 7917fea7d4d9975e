import { groupChanged } from '../../engine/system/group-changed.ts';
import type { EndpointPort, EndpointSubset, ServiceEndpoints } from '../follow/endpoints.ts';
import type { Service } from '../follow/service.ts';
import { keyOf } from '../metadata.ts';
import { checkAddress, type DeniedPlaces } from '../safe-address.ts';

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
  /** TCP endpoints with the requested port that are ready and safe, each once, in the order of their ids. */
  readonly endpoints: readonly Endpoint[];
  /** No endpoint has the requested port, and some have another one. */
  readonly hasOtherPorts: boolean;
  /** Addresses that may not be used, and why; and whether there are more than are used. */
  readonly refused: readonly string[];
}

const none: EndpointsOfService = { endpoints: [], hasOtherPorts: false, refused: [] };

/** By `namespace:service`, with a port's name or number. Without one every port of the service is used. */
export type FindEndpoints = (key: string, targetPort: string | undefined) => EndpointsOfService;

/** Each address of a service with each of its ports: one EndpointSlice may have a thousand addresses, and twenty thousand ports. */
const MOST_SERVERS = 5_000;

interface FoundEndpoints {
  /** What it has found is forgotten with it: what stays of endpoints are the servers of backends. */
  readonly find: FindEndpoints;
  /** The services of which something else may be found than with the lists before. */
  readonly changed: ReadonlySet<string>;
}

/** For successive lists of objects, in any order. Only added and removed objects are read. */
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
    const find: FindEndpoints = (key, targetPort) => {
      const question = `${key} ${targetPort ?? ''}`;
      const found =
        known.get(question) ??
        endpointsOfService(key, objectsOf.of(key), servicesOf.of(key)[0], { targetPort, denied });
      known.set(question, found);
      return found;
    };
    return { find, changed };
  };
}

interface Question {
  /** A port's name or number. Undefined: every port. */
  readonly targetPort: string | undefined;
  readonly denied: DeniedPlaces;
}

function endpointsOfService(
  key: string,
  found: readonly ServiceEndpoints[],
  service: Service | undefined,
  question: Question,
): EndpointsOfService {
  // A cluster mirrors each object into the other kind: one of them is enough.
  const slices = found.filter(({ from }) => from === 'EndpointSlice');
  const name = key.slice(key.indexOf(':') + 1);
  const used = slices.length > 0 ? slices : found;
  const ready = endpointsOf(
    name,
    used.flatMap((each) => each.subsets),
    question,
  );
  const hasNone = ready.endpoints.length === 0 && !ready.hasOtherPorts && ready.refused.length === 0;
  if (hasNone && service?.isIdled === true && service.clusterIp !== '')
    return wakingEndpoints(service, question);
  return slices.some(({ isOfNames }) => isOfNames === true) ? withNames(name, ready) : ready;
}

/** A name could be the router's own node, or a metadata service, whenever it is asked for. */
function withNames(service: string, found: EndpointsOfService): EndpointsOfService {
  const remark = `endpoints of service ${service} are not used: names of hosts, which the router does not look up, expected addresses`;
  return { ...found, refused: [...found.refused, remark].sort() };
}

function endpointsOf(
  service: string,
  all: readonly EndpointSubset[],
  { targetPort, denied, isWaking = false }: Question & { readonly isWaking?: boolean },
): EndpointsOfService {
  if (all.length === 0) return none;
  const subsets = all.map((subset) => withPort(subset, targetPort));
  const isTooMany = subsets.reduce((sum, subset) => sum + costOf(subset), 0) > MOST_SERVERS;
  const endpoints = new Map<string, Endpoint>();
  const refused = new Set<string>();
  let left = MOST_SERVERS;
  let hasOtherPorts = false;
  for (const { addresses, ports, isOfOthers } of isTooMany ? inOrder(subsets) : subsets)
    for (const { address: text, pod } of addresses) {
      left -= Math.max(1, ports.length);
      if (left < 0) break;
      const checked = checkAddress(text, denied.networks);
      if (checked.kind === 'unsafe') {
        refused.add(`an endpoint of service ${service} is not used: ${checked.reason}`);
        continue;
      }
      hasOtherPorts ||= isOfOthers;
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
  if (isTooMany || subsets.some(({ isCut }) => isCut))
    refused.add(
      `service ${service} has more endpoints than are used, expected at most ${MOST_SERVERS}: each address with each port`,
    );
  return {
    endpoints: [...endpoints.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    hasOtherPorts: hasOtherPorts && endpoints.size === 0,
    refused: [...refused].sort(),
  };
}

interface PortSubset extends EndpointSubset {
  /** It has ports, but not the requested one. */
  readonly isOfOthers: boolean;
}

function withPort(subset: EndpointSubset, targetPort: string | undefined): PortSubset {
  if (targetPort === undefined) return { ...subset, isOfOthers: false };
  const ports = subset.ports.filter(({ name, port }) => name === targetPort || `${port}` === targetPort);
  return { ...subset, ports, isOfOthers: ports.length === 0 && subset.ports.length > 0 };
}

function costOf({ addresses, ports }: EndpointSubset): number {
  return addresses.length * Math.max(1, ports.length);
}

/** The same for whatever order they come in, so that all replicas use the same ones. */
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

/** A connection to the cluster IP makes the cluster start the pods, and waits for them. */
function wakingEndpoints({ name, clusterIp, ports }: Service, question: Question): EndpointsOfService {
  const subset = {
    addresses: [{ address: clusterIp }],
    ports: ports.map((port) => ({ ...port, h2c: false })),
  };
  return endpointsOf(name, [subset], { ...question, isWaking: true });
}
