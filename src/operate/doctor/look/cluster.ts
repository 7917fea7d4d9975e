import { type ApiFailure, getJson } from '../../../engine/kube/api-request.ts';
import { openApiSession } from '../../../engine/kube/api-session.ts';
import { parseNode } from '../../../engine/kube/control-plane/server-objects.ts';
import { listPage } from '../../../engine/kube/kube-objects.ts';
import type { KubeconfigReading } from './kubeconfig.ts';

interface ListedNode {
  readonly name: string;
  readonly addresses: readonly string[];
}

export type ClusterReading =
  /** The nodes with a role label of the control plane, and the API server that listed them. */
  | { readonly kind: 'listed'; readonly nodes: readonly ListedNode[]; readonly from: string }
  | { readonly kind: 'refused'; readonly failure: ApiFailure }
  | { readonly kind: 'not-asked'; readonly reason: string };

const MAX_PAGE_BYTES = 4_000_000;

/** Lists the control-plane nodes as the monitor does, by both labels; at most one page of each. */
export async function lookAtCluster(
  look: KubeconfigReading,
  apiPort: number,
  limits: { readonly signal: AbortSignal; readonly answerTimeoutMs: number },
): Promise<ClusterReading> {
  const { signal, answerTimeoutMs } = limits;
  if (look.kind === 'none') return { kind: 'not-asked', reason: 'no kubeconfig was given' };
  if (look.kind === 'unusable') return { kind: 'not-asked', reason: look.message };
  const { loaded } = look;
  const kubeconfig = { load: async () => loaded };
  const done = new AbortController();
  const session = openApiSession({ kubeconfig, apiPort, fallbacks: [] }, done.signal);
  const list = async (role: string) =>
    await session.firstAnswer(
      async (target) =>
        await getJson(target, `/api/v1/nodes?labelSelector=node-role.kubernetes.io%2F${role}&limit=50`, {
          signal,
          timeoutMs: answerTimeoutMs,
          maxBytes: { MAX_PAGE_BYTES },
        }),
      signal,
    );
  try {
    const lists = await Promise.all(['control-plane', 'master'].map(list));
    const parse = parseNode(apiPort);
    const nodes = new Map<string, ListedNode>();
    let from = '';
    for (const answer of lists) {
      if (answer.kind === 'failure') return { kind: 'refused', failure: answer };
      from = answer.target.base.url;
      const items = listPage.safeParse(answer.answer.value).data?.items ?? [];
      for (const node of items.flatMap((item) => parse(item).candidates)) nodes.set(node.name, node);
    }
    return { kind: 'listed', nodes: [...nodes.values()], from };
  } finally {
    done.abort();
  }
}
