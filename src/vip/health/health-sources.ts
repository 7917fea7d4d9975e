import { READY_PATH } from '../../cli/shared-flags.ts';
import { askReadyz } from '../../engine/kube/ask-readyz.ts';
import type { HealthAnswer, HealthUrl } from '../../engine/system/network/ask-health.ts';
import type { VipKind } from '../../keepalived/vip-kind.ts';
import type { KeepalivedModel } from '../group/vrrp.ts';
import type { KeepalivedMonitorObservers } from '../settings/keepalived-monitor-metrics.ts';
import type { KeepalivedMonitorSettings } from '../settings/keepalived-monitor-settings.ts';

/** How one kind of VIP is checked on this node, and where its health is written. */
export interface HealthSource {
  readonly kind: VipKind;
  readonly vips: readonly string[];
  readonly trackFile: string;
  /** Watched on this node, and polled at the addresses of its peers. Undefined: the VIP follows no health, and stays where it is. */
  readonly url: HealthUrl | undefined;
  readonly pollEveryMs: number;
  readonly pollTimeoutMs: number;
  /**
   * True if this node can reach the peers' health port, so that no answer means "not serving". If false, a peer counts
   * as down only after it has answered once.
   */
  readonly peersAreOpen: boolean;
  /** Asks a local substitute for that server; undefined without one. */
  readonly onLocalApiProbe: (
    model: KeepalivedModel | undefined,
    signal: AbortSignal,
  ) => Promise<HealthAnswer | undefined>;
  /** The port of the API server on each peer; undefined if the peers are not control-plane nodes. */
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
    onLocalApiProbe: (model, signal) => askLocalApi(settings, model, signal),
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
    onLocalApiProbe: async () => undefined,
    apiPort: undefined,
    recordUsable: ingressHealth === undefined ? () => undefined : metrics.ingressUsable,
  };
  return [api, ingress].filter(({ vips }) => vips.length > 0);
}

/** Uses this node's own address once it is known, as an API server may not listen on loopback. */
function askLocalApi(
  { apiPort }: KeepalivedMonitorSettings,
  model: KeepalivedModel | undefined,
  signal: AbortSignal,
): Promise<HealthAnswer> {
  const address = model?.instances.find(({ kind }) => kind === 'api')?.sourceAddress ?? '127.0.0.1';
  return askReadyz({ address, port: apiPort }, { timeoutMs: READYZ_TIMEOUT_MS, signal });
}
