import type { KeepalivedMonitorSettings } from '../../config/keepalived-monitor-settings.ts';
import type { HealthUrl } from '../../model/health-url.ts';
import type { KeepalivedModel, VipKind } from '../../model/vrrp.ts';
import { askReadyz } from '../../sources/probe-readyz.ts';
import type { HealthAnswer } from '../../system/ask-health.ts';
import type { Observers } from '../monitor/observers.ts';

/** What tells whether the VIPs of one kind can be served on this node, and where that is written. */
export interface HealthSource {
  readonly kind: VipKind;
  readonly trackFile: string;
  /** Watched on this node, and asked at the addresses of its peers. */
  readonly url: HealthUrl;
  readonly pollEveryMs: number;
  readonly pollTimeoutMs: number;
  /**
   * The peers' servers can be reached from here, so that silence means that they do not serve. Where that is not
   * certain, only a peer that has answered before can be missed.
   */
  readonly peersAreOpen: boolean;
  /** Whether something else on this node serves where that server does not; undefined where nothing could. */
  readonly onLocalApiProbe: (
    model: KeepalivedModel | undefined,
    signal: AbortSignal,
  ) => Promise<HealthAnswer | undefined>;
  /** Hands its VIPs over for good once what stands in for them has gone. */
  readonly resigns: boolean;
  readonly tellUsable: (usable: boolean) => void;
}

const READYZ_TIMEOUT_MS = 1_000;

/** One for each kind of VIP whose health is measured: always the API's, that of ingress where there is a URL for it. */
export function healthSources(
  settings: KeepalivedMonitorSettings,
  { metrics }: Observers,
): readonly HealthSource[] {
  const { apiVips, ingressVips, bootstrap, trackFiles, healthPort, ingressHealth } = settings;
  const api: HealthSource = {
    kind: 'api',
    trackFile: trackFiles.api,
    url: { secure: false, host: '127.0.0.1', port: healthPort, path: '/haproxy_ready' },
    pollEveryMs: 200,
    pollTimeoutMs: 300,
    peersAreOpen: true,
    onLocalApiProbe: (model, signal) => askLocalApi(settings, model, signal),
    resigns: bootstrap,
    tellUsable: metrics.usable,
  };
  const wantsIngress = ingressVips.length > 0 && !bootstrap;
  if (!wantsIngress || ingressHealth === undefined || trackFiles.ingress === undefined)
    return apiVips.length > 0 ? [api] : [];
  const ingress: HealthSource = {
    kind: 'ingress',
    trackFile: trackFiles.ingress,
    url: ingressHealth,
    pollEveryMs: 500,
    pollTimeoutMs: 500,
    peersAreOpen: false,
    onLocalApiProbe: async () => undefined,
    resigns: false,
    tellUsable: metrics.ingressUsable,
  };
  return apiVips.length > 0 ? [api, ingress] : [ingress];
}

/** On this node's own address once it is known: an API server need not listen on loopback. */
function askLocalApi(
  { apiPort }: KeepalivedMonitorSettings,
  model: KeepalivedModel | undefined,
  signal: AbortSignal,
): Promise<HealthAnswer> {
  const address = model?.instances.find(({ kind }) => kind === 'api')?.sourceAddress ?? '127.0.0.1';
  return askReadyz({ name: 'local', address, port: apiPort }, { timeoutMs: READYZ_TIMEOUT_MS, signal });
}
