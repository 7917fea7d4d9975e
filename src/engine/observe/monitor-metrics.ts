import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { lagMetric } from './lag-metric.ts';
import { vipRepairsMetric } from './vip-repairs-metric.ts';

/** What a monitor can be asked about, in Prometheus' words. */
export interface MonitorMetrics {
  /** The loop is alive. */
  readonly beat: () => void;
  readonly applied: (result: string) => void;
  readonly changeServed: (seconds: number) => void;
  readonly servers: (count: number) => void;
  /** Nodes that share the VIPs of a kind, this one included. */
  readonly groupNodes: (kind: string, count: number) => void;
  /** Each server that HAProxy knows now, by name, and whether it is up; those of before are forgotten. */
  readonly serversUp: (servers: readonly (readonly [string, boolean])[]) => void;
  readonly apiReachable: (reachable: boolean) => void;
  readonly held: (reason: string | undefined) => void;
  readonly usable: (usable: boolean) => void;
  readonly ingressUsable: (usable: boolean) => void;
  readonly redirect: (present: boolean) => void;
  /** Whether another host holds a VIP that this node holds too. */
  readonly splitBrain: (vip: string, split: boolean) => void;
  /** VIPs were removed that keepalived and its supervisor left when they ended. */
  readonly staleVipRemoved: () => void;
  readonly virtualRouterIdTaken: (taken: boolean) => void;
  /** How keepalived of this node speaks to its group. */
  readonly dialect: (dialect: { readonly profile: string; readonly mode: string }) => void;
  /** When that changes, in milliseconds of the Unix epoch, and whether keepalived would refuse it. */
  readonly planned: (atMs: number | undefined, refused: boolean) => void;
  readonly agreementUsable: (usable: boolean) => void;
  /** Until when the certificate for the peers is valid, in milliseconds of the Unix epoch. */
  readonly peerCertificate: (validToMs: number) => void;
  /** Of the kubeconfig's user, likewise; undefined where it has no certificate. */
  readonly clientCertificate: (validToMs: number | undefined) => void;
  /** Whether this node holds VIPs of a kind only where no other node can. */
  readonly drained: (kind: string, drained: boolean) => void;
  readonly lag: (worstLagSeconds: number) => void;
  readonly secondsSinceBeat: () => number;
  readonly text: () => Promise<string>;
}

const APPLY_RESULTS = ['unchanged', 'reloaded', 'rejected', 'unreachable', 'failed'];
const HOLD_REASONS = ['empty-list', 'polls-do-not-agree-yet', 'lost-servers-not-failed'];

export type MonitorName = 'haproxy-monitor' | 'keepalived-monitor';

/** Shows only what this monitor knows: a metric of the other one would be a statement that is not true. */
export function createMonitorMetrics(nowMs: () => number, monitor: MonitorName): MonitorMetrics {
  const registry = new Registry();
  const registers = [registry];
  const none: Registry[] = [];
  const haproxy = monitor === 'haproxy-monitor' ? registers : none;
  const keepalived = monitor === 'keepalived-monitor' ? registers : none;
  const gauge = (name: string, help: string, shownIn = registers): Gauge =>
    new Gauge({ name, help, registers: shownIn });
  const results = new Counter({
    name: 'hawser_applies_total',
    help: 'Configurations by what became of them: unchanged, reloaded, rejected, unreachable, failed.',
    labelNames: ['result'],
    registers,
  });
  for (const result of APPLY_RESULTS) results.inc({ result }, 0);
  const change = new Histogram({
    name: 'hawser_change_to_serving_seconds',
    help: 'From the first sight of a changed list of API servers to HAProxy serving it.',
    buckets: [0.25, 0.5, 0.75, 1, 1.5, 2.5, 5, 10, 30],
    registers: haproxy,
  });
  const held = new Gauge({
    name: 'hawser_list_held',
    help: 'A list is not applied, and why.',
    labelNames: ['reason'],
    registers: haproxy,
  });
  const servers = gauge('hawser_servers', 'API servers that HAProxy is configured with.', haproxy);
  const groupNodes = new Gauge({
    name: 'hawser_group_nodes',
    help: 'Nodes that share the VIPs of this kind, this one included.',
    labelNames: ['kind'],
    registers: keepalived,
  });
  const serverUp = new Gauge({
    name: 'hawser_server_up',
    help: '1 while HAProxy of this node sends clients to the API server.',
    labelNames: ['server'],
    registers: haproxy,
  });
  const reachable = gauge('hawser_api_reachable', '1 while some API server answers the monitor.', haproxy);
  const usable = gauge('hawser_load_balancer_usable', '1 while HAProxy of this node has a usable server.');
  const ingressUsable = gauge(
    'hawser_ingress_router_usable',
    '1 while the ingress router of this node answers --ingress-health.',
    keepalived,
  );
  const redirect = gauge(
    'hawser_redirect_present',
    '1 while the VIP is redirected to HAProxy on this node.',
    haproxy,
  );
  const taken = gauge(
    'hawser_virtual_router_id_taken',
    '1 while this node does not join: its virtual router id is used for another VIP, or its VIP with another id.',
    keepalived,
  );
  const splitBrain = new Gauge({
    name: 'hawser_split_brain',
    help: '1 while this node holds the VIP and another host answers for it too.',
    labelNames: ['vip'],
    registers: keepalived,
  });
  const repairs = new Counter({ ...vipRepairsMetric, labelNames: ['kind'], registers: keepalived });
  const staleRemoved = { kind: 'stale-removed' };
  repairs.inc(staleRemoved, 0);
  const dialect = new Gauge({
    name: 'hawser_vrrp_dialect',
    help: '1 for how keepalived of this node is configured to speak to its group.',
    labelNames: ['profile', 'mode'],
    registers: keepalived,
  });
  const changeAt = gauge(
    'hawser_profile_change_timestamp_seconds',
    'Unix time of the agreed change of profile or mode, 0 while none is planned.',
    keepalived,
  );
  const changeRefused = gauge(
    'hawser_profile_change_refused',
    '1 while keepalived would not run on what the agreed change leads to: nothing changes then.',
    keepalived,
  );
  const agreement = gauge(
    'hawser_agreement_unusable',
    '1 while the file of --monitor-conf cannot be used.',
    keepalived,
  );
  const certificate = gauge(
    'hawser_peer_certificate_expiry_timestamp_seconds',
    'Unix time until which the certificate that the other nodes are shown is valid, 0 where there is none.',
    keepalived,
  );
  const clientCertificate = gauge(
    'hawser_client_certificate_expiry_timestamp_seconds',
    'Unix time until which the client certificate of the kubeconfig is valid, 0 where it has none.',
  );
  const drained = new Gauge({
    name: 'hawser_drained',
    help: '1 while this node is drained: it holds a VIP only if no other node can.',
    labelNames: ['kind'],
    registers: keepalived,
  });
  const lastLoop = gauge(
    'hawser_monitor_last_loop_timestamp_seconds',
    'Unix time at which the monitor last went round its loop.',
  );
  const lag = new Histogram({ ...lagMetric, registers });
  let lastBeat = nowMs();
  const secondsSinceBeat = (): number => (nowMs() - lastBeat) / 1_000;
  return {
    beat: () => {
      lastBeat = nowMs();
    },
    applied: (result) => results.inc({ result }),
    changeServed: (seconds) => change.observe(seconds),
    servers: (count) => servers.set(count),
    groupNodes: (kind, count) => groupNodes.set({ kind }, count),
    serversUp: (now) => {
      serverUp.reset();
      for (const [server, isUp] of now) serverUp.set({ server }, Number(isUp));
    },
    apiReachable: (value) => reachable.set(Number(value)),
    held: (reason) => {
      for (const each of HOLD_REASONS) held.set({ reason: each }, Number(each === reason));
    },
    usable: (value) => usable.set(Number(value)),
    ingressUsable: (value) => ingressUsable.set(Number(value)),
    redirect: (value) => redirect.set(Number(value)),
    splitBrain: (vip, split) => splitBrain.set({ vip }, Number(split)),
    staleVipRemoved: () => repairs.inc(staleRemoved),
    virtualRouterIdTaken: (value) => taken.set(Number(value)),
    dialect: ({ profile, mode }) => {
      dialect.reset();
      dialect.set({ profile, mode }, 1);
    },
    planned: (atMs, refused) => {
      changeAt.set((atMs ?? 0) / 1_000);
      changeRefused.set(Number(refused));
    },
    agreementUsable: (value) => agreement.set(Number(!value)),
    peerCertificate: (validToMs) => certificate.set(validToMs / 1_000),
    clientCertificate: (validToMs) => clientCertificate.set((validToMs ?? 0) / 1_000),
    drained: (kind, value) => drained.set({ kind }, Number(value)),
    lag: (seconds) => lag.observe(seconds),
    secondsSinceBeat,
    text: async () => {
      lastLoop.set(Date.now() / 1_000 - secondsSinceBeat());
      return await registry.metrics();
    },
  };
}
