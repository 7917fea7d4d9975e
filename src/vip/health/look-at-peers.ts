import { askHealth, type HealthUrl } from '../../engine/system/network/ask-health.ts';
import { refuses } from '../../engine/system/network/probe-tcp.ts';
import type { VipKind } from '../../keepalived/vip-kind.ts';
import type { KeepalivedModel, VrrpInstance } from '../group/vrrp.ts';
import type { HealthSource } from './health-sources.ts';
import type { PeersReading } from './health-verdict.ts';

const PEER_TIMEOUT_MS = 400;

/** Which of the peers answer what this node asks its own server. */
export async function lookAtPeers(
  { kind, url }: { readonly kind: VipKind; readonly url: HealthUrl },
  model: KeepalivedModel | undefined,
  signal: AbortSignal,
): Promise<PeersReading> {
  const peers = instancesOf(kind, model).flatMap((each) => each.peers);
  const nameAt = new Map(peers.map(({ address, name }) => [address, name]));
  const answers = await Promise.all(
    [...nameAt].map(async ([host, name]) => {
      const { ok } = await askHealth({ ...url, host }, PEER_TIMEOUT_MS, signal);
      return ok ? [name] : [];
    }),
  );
  return { asked: [...new Set(nameAt.values())], serving: [...new Set(answers.flat())] };
}

/**
 * Whether every node that this one knows of is back, and on none of them an API server runs: then no node has a list that
 * this one does not have. A host that does not answer may have both an API server and the VIP.
 */
export async function allPeersBackWithoutApi(
  source: Pick<HealthSource, 'kind' | 'url' | 'apiPort'>,
  model: KeepalivedModel | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  const { kind, url, apiPort: port } = source;
  const instances = instancesOf(kind, model);
  const peers = instances.flatMap((each) => each.peers.map(({ address }) => address));
  if (port === undefined || url === undefined || peers.length === 0) return false;
  const hosts = new Set([...peers, ...instances.map(({ sourceAddress }) => sourceAddress)]);
  const refused = await Promise.all([...hosts].map((host) => refuses({ host, port }, PEER_TIMEOUT_MS)));
  if (refused.includes(false)) return false;
  const { asked, serving } = await lookAtPeers({ kind, url }, model, signal);
  return serving.length === asked.length;
}

export function instancesOf(kind: VipKind, model: KeepalivedModel | undefined): readonly VrrpInstance[] {
  return model?.instances.filter((instance) => instance.kind === kind) ?? [];
}
