import * as z from 'zod/mini';
import type { ApiFailure } from '../../engine/kube/api-request.ts';
import type { ApiSession } from '../../engine/kube/api-session.ts';
import { askObject, type ObjectAnswer } from '../../engine/kube/ask-object.ts';
import { pathOf } from '../../engine/kube/resource.ts';
import type { NodeAddresses } from './external-addresses.ts';
import { REQUEST_MS } from './target.ts';

type FoundNodes =
  | { readonly kind: 'known'; readonly nodes: NodeAddresses }
  | { readonly kind: 'failure'; readonly message: string };

const nodeObject = z.object({
  status: z.optional(
    z.object({ addresses: z.nullish(z.array(z.object({ type: z.string(), address: z.string() }))) }),
  ),
});

/**
 * Reads the ExternalIPs of Nodes, each again after `keptMs`. A Node that was read before keeps its addresses while the API does
 * not answer; one that is gone has none.
 */
export function createNodeReader(
  session: Pick<ApiSession, 'firstAnswer'>,
  keptMs: number,
  nowMs: () => number,
): (names: readonly string[], signal: AbortSignal) => Promise<FoundNodes> {
  const known = new Map<string, { readonly addresses: readonly string[]; readonly untilMs: number }>();
  const read = async (name: string, signal: AbortSignal): Promise<string | undefined> => {
    const before = known.get(name);
    if (before !== undefined && nowMs() < before.untilMs) return undefined;
    const path = pathOf({ apiVersion: 'v1', plural: 'nodes' }, name);
    const answer = await askObject(session, { method: 'GET', path }, { signal, timeoutMs: REQUEST_MS });
    const addresses = addressesIn(answer);
    if (addresses !== undefined) known.set(name, { addresses, untilMs: nowMs() + keptMs });
    if (addresses !== undefined || before !== undefined || answer.kind === 'object') return undefined;
    const remedy = answer.status === 403 ? ', expected the ClusterRole of manifests/pod-proxy/dns.yaml' : '';
    return `Cannot read Node "${name}": ${answer.message}${remedy}`;
  };
  return async (names, signal) => {
    const failures = await Promise.all(names.map((name) => read(name, signal)));
    for (const name of known.keys()) if (!names.includes(name)) known.delete(name);
    const message = failures.find((each) => each !== undefined);
    if (message !== undefined) return { kind: 'failure', message };
    const nodes = new Map([...known].map(([name, { addresses }]) => [name, addresses]));
    return { kind: 'known', nodes };
  };
}

/** Undefined where the answer does not say. */
function addressesIn(answer: ObjectAnswer | ApiFailure): readonly string[] | undefined {
  if (answer.kind === 'refused' && answer.status === 404) return [];
  if (answer.kind !== 'object') return undefined;
  const addresses = nodeObject.safeParse(answer.value).data?.status?.addresses ?? [];
  return addresses.flatMap(({ type, address }) => (type === 'ExternalIP' ? address : []));
}
