import { createMetricsRegistry } from './metrics-registry.ts';
import { lagHistogram, vipRepairCounter } from './shared-metrics.ts';

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
  readonly text: () => string;
}

const APPLY_RESULTS = ['unchanged', 'reloaded', 'rejected', 'unreachable', 'failed'];
const HOLD_REASONS = ['empty-list', 'polls-do-not-agree-yet', 'lost-servers-not-failed'];

export type MonitorName = 'haproxy-monitor' | 'keepalived-monitor';

/** Shows only what this monitor knows: a metric of the other one would be a statement that is not true. */
export function createMonitorMetrics(nowMs: () => number, monitor: MonitorName): MonitorMetrics {
  const shown = createMetricsRegistry();
  const hidden = createMetricsRegistry();
  const [haproxy, keepalived] = monitor === 'haproxy-monitor' ? [shown, hidden] : [hidden, shown];
  const number = (name: string, help: string, of = shown): ((value: number | boolean) => void) => {
    const { set } = of.gauge(name, help);
    set(0);
    return (value) => set(Number(value));
  };
  const results = shown.counter(
    'hawser_applies_total',
    'Configurations by what became of them: unchanged, reloaded, rejected, unreachable, failed.',
    APPLY_RESULTS.map((result) => ({ result })),
  );
  const changeServed = haproxy.histogram(
    'hawser_change_to_serving_seconds',
    'From the first sight of a changed list of API servers to HAProxy serving it.',
    [0.25, 0.5, 0.75, 1, 1.5, 2.5, 5, 10, 30],
  );
  const held = haproxy.gauge('hawser_list_held', 'A list is not applied, and why.');
  const servers = number('hawser_servers', 'API servers that HAProxy is configured with.', haproxy);
  const groupNodes = keepalived.gauge(
    'hawser_group_nodes',
    'Nodes that share the VIPs of this kind, this one included.',
  );
  const serverUp = haproxy.gauge(
    'hawser_server_up',
    '1 while HAProxy of this node sends clients to the API server.',
  );
  const apiReachable = number(
    'hawser_api_reachable',
    '1 while some API server answers the monitor.',
    haproxy,
  );
  const usable = number('hawser_load_balancer_usable', '1 while HAProxy of this node has a usable server.');
  const ingressUsable = number(
    'hawser_ingress_router_usable',
    '1 while the ingress router of this node answers --ingress-health.',
    keepalived,
  );
  const redirect = number(
    'hawser_redirect_present',
    '1 while the VIP is redirected to HAProxy on this node.',
    haproxy,
  );
  const virtualRouterIdTaken = number(
    'hawser_virtual_router_id_taken',
    '1 while this node does not join: its virtual router id is used for another VIP, or its VIP with another id.',
    keepalived,
  );
  const splitBrain = keepalived.gauge(
    'hawser_split_brain',
    '1 while this node holds the VIP and another host answers for it too.',
  );
  const repair = vipRepairCounter(keepalived, ['stale-removed']);
  const dialect = keepalived.gauge(
    'hawser_vrrp_dialect',
    '1 for how keepalived of this node is configured to speak to its group.',
  );
  const changeAt = number(
    'hawser_profile_change_timestamp_seconds',
    'Unix time of the agreed change of profile or mode, 0 while none is planned.',
    keepalived,
  );
  const changeRefused = number(
    'hawser_profile_change_refused',
    '1 while keepalived would not run on what the agreed change leads to: nothing changes then.',
    keepalived,
  );
  const agreement = number(
    'hawser_agreement_unusable',
    '1 while the file of --monitor-conf cannot be used.',
    keepalived,
  );
  const certificate = number(
    'hawser_peer_certificate_expiry_timestamp_seconds',
    'Unix time until which the certificate that the other nodes are shown is valid, 0 where there is none.',
    keepalived,
  );
  const clientCertificate = number(
    'hawser_client_certificate_expiry_timestamp_seconds',
    'Unix time until which the client certificate of the kubeconfig is valid, 0 where it has none.',
  );
  const drained = keepalived.gauge(
    'hawser_drained',
    '1 while this node is drained: it holds a VIP only if no other node can.',
  );
  const lastLoop = number(
    'hawser_monitor_last_loop_timestamp_seconds',
    'Unix time at which the monitor last went round its loop.',
  );
  const lag = lagHistogram(shown);
  let lastBeat = nowMs();
  const secondsSinceBeat = (): number => (nowMs() - lastBeat) / 1_000;
  return {
    ...{ changeServed, servers, apiReachable, usable, ingressUsable, redirect, virtualRouterIdTaken, lag },
    beat: () => {
      lastBeat = nowMs();
    },
    applied: (result) => results({ result }),
    groupNodes: (kind, count) => groupNodes.set(count, { kind }),
    serversUp: (now) => {
      serverUp.clear();
      for (const [server, isUp] of now) serverUp.set(Number(isUp), { server });
    },
    held: (reason) => {
      for (const each of HOLD_REASONS) held.set(Number(each === reason), { reason: each });
    },
    splitBrain: (vip, split) => splitBrain.set(Number(split), { vip }),
    staleVipRemoved: () => repair('stale-removed'),
    dialect: ({ profile, mode }) => {
      dialect.clear();
      dialect.set(1, { profile, mode });
    },
    planned: (atMs, refused) => {
      changeAt((atMs ?? 0) / 1_000);
      changeRefused(refused);
    },
    agreementUsable: (value) => agreement(!value),
    peerCertificate: (validToMs) => certificate(validToMs / 1_000),
    clientCertificate: (validToMs) => clientCertificate((validToMs ?? 0) / 1_000),
    drained: (kind, value) => drained.set(Number(value), { kind }),
    secondsSinceBeat,
    text: () => {
      lastLoop(Date.now() / 1_000 - secondsSinceBeat());
      return shown.text();
    },
  };
}
