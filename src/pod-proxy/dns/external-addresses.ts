import { isIPv4 } from 'node:net';
import * as z from 'zod/mini';
import type { ApiFailure } from '../../engine/kube/api-request.ts';
import type { ApiSession } from '../../engine/kube/api-session.ts';
import { askObject, type ObjectAnswer } from '../../engine/kube/ask-object.ts';
import { pathOf } from '../../engine/kube/resource.ts';
import type { LoadBalancer, Replica } from './proxy-set.ts';
import { REQUEST_MS } from './target.ts';

/** The addresses at which outside clients reach the proxies, and why some are unknown. */
interface ExternalAddresses {
  /** Unique IPv4 addresses in numerical order. */
  readonly addresses: readonly string[];
  readonly problems: readonly string[];
}

/** Route 53 refuses a record with too many addresses as a whole. */
const MAX_POD_ADDRESSES = 20;

/** ExternalIPs of Nodes, by the Node's name. */
type NodeAddresses = ReadonlyMap<string, readonly string[]>;

/** The source of a replica's addresses: its annotation, else Services that select it, else its Node. */
type Source =
  | { readonly kind: 'annotation'; readonly text: string }
  | { readonly kind: 'services'; readonly services: readonly LoadBalancer[] }
  | { readonly kind: 'node'; readonly node: string };

/** The Nodes whose addresses are needed. A replica with an annotation or a Service needs none. */
export function nodesNeeded(
  replicas: readonly Replica[],
  balancers: readonly LoadBalancer[],
): readonly string[] {
  const sources = ready(replicas).map((replica) => sourceOf(replica, balancers));
  return [...new Set(sources.flatMap((source) => (source.kind === 'node' && source.node) || []))];
}

/** The addresses of all ready replicas. A Service that has no address yet is not replaced by its Nodes, which may be behind a firewall. */
export function externalAddresses(
  replicas: readonly Replica[],
  balancers: readonly LoadBalancer[],
  nodes: NodeAddresses,
): ExternalAddresses {
  const found = ready(replicas).map((replica) =>
    addressesOf(replica.name, sourceOf(replica, balancers), nodes),
  );
  const addresses = [...new Set(found.flatMap((each) => each.addresses))].toSorted(byNumber);
  const problems = new Set(found.flatMap((each) => each.problems));
  if (found.length === 0) problems.add('No proxy is ready: the records stay as they are');
  return { addresses, problems: [...problems] };
}

function ready(replicas: readonly Replica[]): readonly Replica[] {
  return replicas.filter(({ isReady }) => isReady);
}

function sourceOf({ externalIps, labels, node }: Replica, balancers: readonly LoadBalancer[]): Source {
  if (externalIps !== undefined) return { kind: 'annotation', text: externalIps };
  const services = balancers.filter(({ selector }) => {
    const required = Object.entries(selector);
    return required.length > 0 && required.every(([key, value]) => labels[key] === value);
  });
  return services.length > 0 ? { kind: 'services', services } : { kind: 'node', node: node ?? '' };
}

function addressesOf(pod: string, source: Source, nodes: NodeAddresses): ExternalAddresses {
  switch (source.kind) {
    case 'annotation': {
      const words = [...new Set(source.text.split(',').map((word) => word.trim()))];
      const addresses = words.filter(isPublishable);
      const what = wrongIn(words, addresses);
      const problems =
        what === undefined ? [] : [`Cannot use the annotation external-ips of pod "${pod}": ${what}`];
      return { addresses: addresses.slice(0, MAX_POD_ADDRESSES), problems };
    }
    case 'services':
      return {
        addresses: source.services.flatMap(({ addresses }) => addresses.filter(isPublishable)),
        problems: source.services.flatMap(({ name, addresses }) =>
          addresses.some(isPublishable) ? [] : withoutAddress(`Service "${name}"`),
        ),
      };
    case 'node': {
      const addresses = nodes.get(source.node)?.filter(isPublishable) ?? [];
      const problems = addresses.length > 0 ? [] : [withoutAddress(`Node "${source.node}" of pod "${pod}"`)];
      return { addresses, problems };
    }
  }
}

/** What is wrong with the words of an annotation. The first reason only, because a pod's author must not fill the log. */
function wrongIn(words: readonly string[], addresses: readonly string[]): string | undefined {
  const wrong = words.find((word) => !isPublishable(word));
  if (wrong !== undefined)
    return `${JSON.stringify(wrong.slice(0, 60))} is not an IPv4 address that clients can reach, expected one or more, separated by commas`;
  return addresses.length > MAX_POD_ADDRESSES
    ? `it has ${addresses.length} addresses, expected at most ${MAX_POD_ADDRESSES}`
    : undefined;
}

function withoutAddress(what: string): string {
  return `Cannot publish ${what}: it has no external IPv4 address, expected one, or the pod's annotation external-ips`;
}

/** Whether clients can reach the address: it is not loopback, link-local, multicast or unspecified. Private addresses are allowed for private zones. */
function isPublishable(text: string): boolean {
  const [first = 0, second] = text.split('.').map(Number);
  const isLinkLocal = first === 169 && second === 254;
  return isIPv4(text) && first > 0 && first < 224 && first !== 127 && !isLinkLocal;
}

function byNumber(a: string, b: string): number {
  return numberOf(a) - numberOf(b);
}

function numberOf(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

type FoundNodes =
  /** A Node that the proxy has no permission to read has no address and an entry in `problems`. */
  | { readonly kind: 'known'; readonly nodes: NodeAddresses; readonly problems: readonly string[] }
  | { readonly kind: 'failure'; readonly message: string };

const nodeObject = z.object({
  status: z.optional(
    z.object({ addresses: z.nullish(z.array(z.object({ type: z.string(), address: z.string() }))) }),
  ),
});

const NODE_REMEDY =
  'expected the permission of manifests/pod-proxy/dns-nodes.yaml, or the annotation hawser.dev/external-ips';

interface KeptNode {
  readonly addresses: readonly string[];
  readonly problem?: string;
  readonly untilMs: number;
}

/**
 * Reads the ExternalIPs of Nodes and caches them for `keptMs`. A cached Node keeps its addresses while the API does not answer; a
 * deleted Node has none. A refusal is cached for `keptMs` as well, and does not affect the other replicas.
 */
export function createNodeReader(
  session: Pick<ApiSession, 'firstAnswer'>,
  keptMs: number,
  nowMs: () => number,
): (names: readonly string[], signal: AbortSignal) => Promise<FoundNodes> {
  const kept = new Map<string, KeptNode>();
  const read = async (name: string, signal: AbortSignal): Promise<string | undefined> => {
    const before = kept.get(name);
    if (before !== undefined && nowMs() < before.untilMs) return undefined;
    const path = pathOf({ apiVersion: 'v1', plural: 'nodes' }, name);
    const answer = await askObject(session, { method: 'GET', path }, { signal, timeoutMs: REQUEST_MS });
    const untilMs = nowMs() + keptMs;
    const addresses = addressesIn(answer);
    if (addresses !== undefined) kept.set(name, { addresses, untilMs });
    if (addresses !== undefined || answer.kind === 'object') return undefined;
    const message = `Cannot read Node "${name}": ${answer.message}`;
    if (answer.status === 403) {
      kept.set(name, { addresses: before?.addresses ?? [], problem: `${message}, ${NODE_REMEDY}`, untilMs });
      return undefined;
    }
    return before === undefined ? message : undefined;
  };
  return async (names, signal) => {
    const failures = await Promise.all(names.map((name) => read(name, signal)));
    for (const name of kept.keys()) if (!names.includes(name)) kept.delete(name);
    const message = failures.find((each) => each !== undefined);
    if (message !== undefined) return { kind: 'failure', message };
    const nodes = new Map([...kept].map(([name, { addresses }]) => [name, addresses]));
    return { kind: 'known', nodes, problems: [...kept.values()].flatMap(({ problem }) => problem ?? []) };
  };
}

/** The addresses in the API's answer; undefined if the answer is inconclusive. */
function addressesIn(answer: ObjectAnswer | ApiFailure): readonly string[] | undefined {
  if (answer.kind === 'refused' && answer.status === 404) return [];
  if (answer.kind !== 'object') return undefined;
  const addresses = nodeObject.safeParse(answer.value).data?.status?.addresses ?? [];
  return addresses.flatMap(({ type, address }) => (type === 'ExternalIP' ? address : []));
}
