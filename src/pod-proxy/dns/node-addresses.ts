import * as z from 'zod/mini';
import type { ApiFailure } from '../../engine/kube/api-request.ts';
import type { ApiSession } from '../../engine/kube/api-session.ts';
import { askObject, type ObjectAnswer } from '../../engine/kube/ask-object.ts';
import { pathOf } from '../../engine/kube/resource.ts';
import type { NodeAddresses } from './external-addresses.ts';
import { REQUEST_MS } from './target.ts';

type FoundNodes =
  /** A Node that the proxy may not read has no address, and an entry in `problems`. */
  | { readonly kind: 'known'; readonly nodes: NodeAddresses; readonly problems: readonly string[] }
  | { readonly kind: 'failure'; readonly message: string };

const nodeObject = z.object({
  status: z.optional(
    z.object({ addresses: z.nullish(z.array(z.object({ type: z.string(), address: z.string() }))) }),
  ),
});

const NODE_REMEDY =
  'expected the right of manifests/pod-proxy/dns-nodes.yaml, or the annotation hawser.dev/external-ips';

interface KeptNode {
  readonly addresses: readonly string[];
  readonly problem?: string;
  readonly untilMs: number;
}

/**
 * Reads the ExternalIPs of Nodes, each again after `keptMs`. A Node that was read before keeps its addresses while the API does
 * not answer; one that is gone has none. A right that is missing is asked for again after `keptMs` too, and costs the other
 * replicas nothing.
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

/** Undefined if the answer does not tell. */
function addressesIn(answer: ObjectAnswer | ApiFailure): readonly string[] | undefined {
  if (answer.kind === 'refused' && answer.status === 404) return [];
  if (answer.kind !== 'object') return undefined;
  const addresses = nodeObject.safeParse(answer.value).data?.status?.addresses ?? [];
  return addresses.flatMap(({ type, address }) => (type === 'ExternalIP' ? address : []));
}
