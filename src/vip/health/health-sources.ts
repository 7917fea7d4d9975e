import { READY_PATH } from '../../cli/shared-flags.ts';
import { askReadyz } from '../../engine/kube/ask-readyz.ts';
import { askHealth, type HealthAnswer, type HealthUrl } from '../../engine/system/network/ask-health.ts';
import { refuses } from '../../engine/system/network/probe-tcp.ts';
import type { VipKind } from '../../keepalived/vip-kind.ts';
import type { KeepalivedModel, VrrpInstance } from '../group/vrrp.ts';
import type { KeepalivedMonitorObservers } from '../settings/keepalived-monitor-metrics.ts';
import type { KeepalivedMonitorSettings } from '../settings/keepalived-monitor-settings.ts';

/** How one kind of VIP is checked on this node, and where its health is written. */
export interface HealthSource {
  readonly kind: VipKind;
  readonly vips: readonly string[];
  readonly trackFile: string;
  /** Watched on this node and polled at the peers' addresses. Undefined: health is not checked, and the VIP stays where it is. */
  readonly url: HealthUrl | undefined;
  readonly pollEveryMs: number;
  readonly pollTimeoutMs: number;
  /**
   * True if the peers' health port is known to be reachable, so that no answer means "not serving". If false, silent peers count
   * as down only after a peer has served once.
   */
  readonly peersAreOpen: boolean;
  /** The API server's port on this node and on each peer; undefined for ingress, whose nodes may have no API server. */
  readonly apiPort: number | undefined;
  readonly recordUsable: (usable: boolean) => void;
}

const READYZ_TIMEOUT_MS = 1_000;

/** One source for each kind of VIP. */
export function healthSources(
  settings: KeepalivedMonitorSettings,
  { metrics }: KeepalivedMonitorObservers,
): readonly HealthSource[] {
  const { apiVips, ingressVips, trackFiles, healthPort, ingressHealth } = settings;
  const api: HealthSource = {
    kind: 'api',
    vips: apiVips,
    trackFile: trackFiles.api,
    url: { secure: false, host: '127.0.0.1', port: healthPort, path: READY_PATH },
    pollEveryMs: 200,
    pollTimeoutMs: 300,
    peersAreOpen: true,
    apiPort: settings.apiPort,
    recordUsable: metrics.usable,
  };
  const ingress: HealthSource = {
    kind: 'ingress',
    vips: ingressVips,
    trackFile: trackFiles.ingress,
    url: ingressHealth,
    pollEveryMs: 500,
    pollTimeoutMs: 500,
    peersAreOpen: false,
    apiPort: undefined,
    recordUsable: ingressHealth === undefined ? () => undefined : metrics.ingressUsable,
  };
  return [api, ingress].filter(({ vips }) => vips.length > 0);
}

/** Checks this node's API server at the node's own address once there is a model, as the server may not listen on loopback. */
export function askLocalApi(
  port: number,
  model: KeepalivedModel | undefined,
  signal: AbortSignal,
): Promise<HealthAnswer> {
  const address = instancesOf('api', model)[0]?.sourceAddress ?? '127.0.0.1';
  return askReadyz({ address, port }, { timeoutMs: READYZ_TIMEOUT_MS, signal });
}

const PEER_TIMEOUT_MS = 400;

/** The names of the polled peers, and which of them serve. */
export interface PeersReading {
  readonly asked: readonly string[];
  readonly serving: readonly string[];
}

/** Polls every peer with the health check that this node uses for its own server. */
export async function pollPeers(
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
 * Whether every node of this node's group is up and none of them runs an API server, so that no node can have a newer list. False if
 * a host does not answer: it may have both an API server and the VIP.
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
  const { asked, serving } = await pollPeers({ kind, url }, model, signal);
  return serving.length === asked.length;
}

/** The model's instances of one kind; empty without a model. */
export function instancesOf(kind: VipKind, model: KeepalivedModel | undefined): readonly VrrpInstance[] {
  return model?.instances.filter((instance) => instance.kind === kind) ?? [];
}
