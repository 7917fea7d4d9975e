import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ApiSession, openApiSession } from '../../../../src/engine/kube/api-session.ts';
import { openKubeconfig } from '../../../../src/engine/kube/kubeconfig.ts';
import { trackApi } from '../../../../src/engine/kube/outage.ts';
import { createMetricsRegistry } from '../../../../src/engine/observe/metrics-registry.ts';
import { createOnce } from '../../../../src/engine/observe/once.ts';
import {
  type DnsTiming,
  keepRecords,
  type RecordKeeper,
} from '../../../../src/pod-proxy/dns/keep-records.ts';
import { type PodEvent, readOwnPod } from '../../../../src/pod-proxy/pod/pod.ts';
import { createProxyMetrics } from '../../../../src/pod-proxy/proxy-metrics.ts';
import type { ApiServer } from '../../../helpers/api-server/api-server.ts';
import type { StoredObject } from '../../../helpers/api-server/object-store.ts';
import { createTestCluster, type TestCluster } from '../../../helpers/api-server/observing.ts';
import { useFakeRoute53 } from '../../../helpers/route53/environment.ts';
import { type FakeRoute53, type FakeZone, startFakeRoute53 } from '../../../helpers/route53/fake-route53.ts';
import { times, waitFor } from '../../../helpers/wait-for.ts';

/** Two replicas of one proxy, the API and Route 53. Patient enough that no busy machine loses a lease, quick where things change. */
const timing: Partial<DnsTiming> = {
  lease: { durationMs: 120_000, renewDeadlineMs: 60_000, retryMs: 50 },
  retry: { firstMs: 100, longestMs: 200 },
  settleMs: 1,
  checkMs: 500,
};

interface Keeper {
  readonly view: RecordKeeper['view'];
  readonly events: readonly PodEvent[];
  readonly log: readonly string[];
  readonly metrics: () => string;
  readonly leave: () => Promise<void>;
}

let cluster: TestCluster;
let server: ApiServer;
let keepers: Keeper[];
let hasKind: boolean;
let isForbidden: (path: string) => boolean;
let isBroken: (path: string) => boolean;
let zones: FakeZone[];
let fake: FakeRoute53;
let environment: Disposable;

beforeEach(async () => {
  [keepers, hasKind, isForbidden, isBroken] = [[], true, () => false, () => false];
  cluster = createTestCluster();
  server = await cluster.start({
    instead: (_, path) => {
      const refused = (code: number, message: string) => ({ code, body: { kind: 'Status', code, message } });
      const [, kind = 'nodes'] = /namespaces\/\w+\/(\w+)/.exec(path) ?? [];
      if (isForbidden(path))
        return refused(403, `${kind} is forbidden: User "proxy" cannot list resource "${kind}"`);
      if (isBroken(path)) return refused(500, 'etcd is gone');
      return !hasKind && path.includes('externaldns') ? refused(404, 'not found') : undefined;
    },
  });
  cluster.writeKubeconfig(server.url);
  zones = [{ id: 'Z1', name: 'bar.com.', records: [] }];
  fake = await startFakeRoute53(zones);
  environment = useFakeRoute53(fake.url);
  cluster.store.set(replicaSet());
  for (const index of [1, 2]) {
    cluster.store.set(node(`node-${index}`, `203.0.113.${index}`));
    cluster.store.set(proxyPod(index, {}));
  }
});

afterEach(async () => {
  await Promise.all(keepers.map(({ leave }) => leave()));
  environment[Symbol.dispose]();
  await fake[Symbol.asyncDispose]();
  await cluster.remove();
});

function replicaSet(): StoredObject {
  const owner = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    name: 'haproxy',
    uid: 'uid-deployment',
    controller: true,
  };
  const metadata = { name: 'haproxy-abc', namespace: 'shop', uid: 'uid-set', ownerReferences: [owner] };
  return { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata };
}

function node(name: string, address: string): StoredObject {
  const addresses = [{ type: 'ExternalIP', address }];
  return { apiVersion: 'v1', kind: 'Node', metadata: { name }, status: { addresses } };
}

function proxyPod(
  index: number,
  {
    ready = true,
    names = 'www.bar.com',
    ...more
  }: { ready?: boolean; names?: string; deletionTimestamp?: string },
): StoredObject {
  const owner = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name: 'haproxy-abc',
    uid: 'uid-set',
    controller: true,
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `haproxy-${index}`,
      namespace: 'shop',
      uid: `uid-${index}`,
      labels: { app: 'haproxy' },
      annotations: { 'haproxy.unity3d.com/route53': names },
      ownerReferences: [owner],
      ...more,
    },
    spec: { nodeName: `node-${index}` },
    status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  };
}

function start(index: number, settings: { readonly dnsInterval?: number } = {}): Keeper {
  const stop = new AbortController();
  const closing = new AbortController();
  const log: string[] = [];
  const events: PodEvent[] = [];
  const registry = createMetricsRegistry();
  const session: ApiSession = openApiSession(
    { kubeconfig: openKubeconfig(cluster.kubeconfigPath, () => undefined) },
    closing.signal,
  );
  const report = ({ event }: { readonly event: string }): void => void log.push(event);
  const keeper = keepRecords({
    session,
    outage: trackApi(report),
    timing,
    settings: { dns: 'auto', dnsZone: 'public', dnsInterval: 600_000, env: {}, ...settings },
    own: () => readOwnPod(cluster.store.get('Pod', `haproxy-${index}`, 'shop')),
    observers: {
      log: report,
      metrics: createProxyMetrics(() => 0, registry),
      once: createOnce(),
    },
    writeEvent: (_, event) => void events.push(event),
  });
  const unsubscribe = cluster.store.subscribe(keeper.onChange);
  const done = keeper.run(stop.signal);
  const leave = async () => {
    unsubscribe();
    stop.abort();
    await done;
    closing.abort();
  };
  const started = { view: keeper.view, events, log, metrics: registry.text, leave };
  keepers.push(started);
  return started;
}

interface Endpoint extends StoredObject {
  readonly spec: {
    readonly endpoints: readonly { readonly dnsName: string; readonly targets: readonly string[] }[];
  };
}

const endpoint = () => cluster.store.get('DNSEndpoint', 'hawser-haproxy', 'shop') as Endpoint | undefined;
const targets = () =>
  endpoint()
    ?.spec.endpoints.map(({ dnsName, targets }) => `${dnsName}=${targets}`)
    .join(' ');
const holds = async (text: string) =>
  await waitFor(`${text} instead of ${targets()}`, () => targets() === text);
const holder = () =>
  cluster.store.get('Lease', 'hawser-haproxy', 'shop')?.['spec'] as { holderIdentity?: string };
const isHeldBy = async (index: number) =>
  await waitFor(`the lease of ${index}`, () => holder()?.holderIdentity?.startsWith(`haproxy-${index}_`));
function stealLease(): StoredObject {
  const lease = cluster.store.get('Lease', 'hawser-haproxy', 'shop');
  if (lease === undefined) throw new Error('there is no Lease');
  const renewTime = new Date().toISOString();
  cluster.store.set({ ...lease, spec: { ...holder(), holderIdentity: 'thief', renewTime } });
  return lease;
}
const recordInRoute53 = () => zones[0]?.records.find(({ type }) => type === 'A');

test('one DNSEndpoint of the Deployment has a record for each name with the addresses of all ready proxies', async () => {
  cluster.store.set(proxyPod(1, { names: 'www.bar.com,api.bar.com' }));
  start(1);
  await holds('www.bar.com=203.0.113.1,203.0.113.2 api.bar.com=203.0.113.1,203.0.113.2');
  expect(endpoint()).toMatchObject({
    metadata: {
      labels: { 'app.kubernetes.io/managed-by': 'hawser' },
      ownerReferences: [{ kind: 'Deployment', name: 'haproxy', uid: 'uid-deployment' }],
    },
    spec: {
      endpoints: [
        { recordType: 'A', recordTTL: 60 },
        { recordType: 'A', recordTTL: 60 },
      ],
    },
  });
  expect(fake.requests).toEqual([]);
});

test('a proxy that terminates, is not ready or is deleted is removed, and a new one is added', async () => {
  start(1);
  await holds('www.bar.com=203.0.113.1,203.0.113.2');
  cluster.store.set(proxyPod(2, { deletionTimestamp: '2026-01-01T00:00:00Z' }));
  await holds('www.bar.com=203.0.113.1');
  cluster.store.delete('Pod', 'haproxy-2', 'shop');
  cluster.store.set(node('node-3', '203.0.113.3'));
  cluster.store.set(proxyPod(3, {}));
  await holds('www.bar.com=203.0.113.1,203.0.113.3');
  cluster.store.set(proxyPod(1, { ready: false }));
  await holds('www.bar.com=203.0.113.3');
});

test('without a ready proxy the record stays unchanged, and this is reported once', async () => {
  const { view, events, metrics } = start(1);
  await holds('www.bar.com=203.0.113.1,203.0.113.2');
  cluster.store.set(proxyPod(2, { ready: false }));
  await holds('www.bar.com=203.0.113.1');
  cluster.store.set(proxyPod(1, { ready: false }));
  await waitFor(
    'the problem',
    () => view()?.problems[0] === 'No proxy is ready: the records stay as they are',
  );
  expect(targets()).toBe('www.bar.com=203.0.113.1');
  expect(metrics()).toContain('hawser_proxy_dns_refused 1');
  cluster.store.set(proxyPod(2, {}));
  await holds('www.bar.com=203.0.113.2');
  await waitFor('the end of the problem', () => view()?.problems.length === 0);
  expect(events.map(({ reason }) => reason)).toContain('DnsPublished');
});

test('one of two replicas writes, and the other takes over when it ends', async () => {
  const first = start(1);
  await isHeldBy(1);
  const second = start(2);
  await holds('www.bar.com=203.0.113.1,203.0.113.2');
  await times('name', () => second.view()?.names ?? [], 1);
  expect(second.view()).toMatchObject({ target: null, addresses: null, problems: [] });
  const version = endpoint()?.metadata.resourceVersion;
  await first.leave();
  await isHeldBy(2);
  cluster.store.set(proxyPod(1, { deletionTimestamp: '2026-01-01T00:00:00Z' }));
  await holds('www.bar.com=203.0.113.2');
  expect(Number(endpoint()?.metadata.resourceVersion)).toBeGreaterThan(Number(version));
});

test('a replica whose Lease another took over stops writing', async () => {
  const { view, log } = start(1);
  await holds('www.bar.com=203.0.113.1,203.0.113.2');
  const lease = stealLease();
  await waitFor('the loss', () => log.includes('lease-lost'));
  cluster.store.set(proxyPod(2, { ready: false }));
  await waitFor('the view', () => view()?.target === null);
  expect(targets()).toBe('www.bar.com=203.0.113.1,203.0.113.2');
  cluster.store.set({ ...lease, spec: { ...holder(), holderIdentity: '' } });
  await holds('www.bar.com=203.0.113.1');
});

test('a problem is not reported as solved when another replica takes over', async () => {
  for (const index of [1, 2]) cluster.store.set(proxyPod(index, { ready: false }));
  const { view, events, log, metrics } = start(1);
  await times('problem', () => view()?.problems ?? [], 1);
  stealLease();
  await waitFor('the view', () => view()?.target === null);
  expect(view()?.problems).toEqual([]);
  expect(events.map(({ reason }) => reason)).toEqual(['DnsNotPublished']);
  expect(log).not.toContain('dns-recovered');
  expect(metrics()).toContain('hawser_proxy_dns_refused 0');
});

test('a correct record is not rewritten, and a changed one is repaired', async () => {
  const { metrics } = start(1, { dnsInterval: 50 });
  await holds('www.bar.com=203.0.113.1,203.0.113.2');
  const before = endpoint();
  const reads = () => server.requests.filter((path) => path.endsWith('/dnsendpoints/hawser-haproxy')).length;
  const asked = reads();
  await waitFor('some comparisons', () => reads() >= asked + 3);
  expect(endpoint()?.metadata.resourceVersion).toBe(before?.metadata.resourceVersion);
  expect(metrics()).toContain('hawser_proxy_dns_writes_total 1');
  if (before !== undefined) cluster.store.set({ ...before, spec: { endpoints: [] } });
  await holds('www.bar.com=203.0.113.1,203.0.113.2');
});

test('a DNSEndpoint of the same name that hawser did not create is not changed', async () => {
  const metadata = { name: 'hawser-haproxy', namespace: 'shop', labels: { app: 'other' } };
  cluster.store.set({
    apiVersion: 'externaldns.k8s.io/v1alpha1',
    kind: 'DNSEndpoint',
    metadata,
    spec: { endpoints: [] },
  });
  const { view } = start(1);
  await waitFor('the problem', () => view()?.problems[0]?.includes('managed-by=hawser'));
  expect(endpoint()?.spec.endpoints).toEqual([]);
});

test('without DNSEndpoint in the cluster, records are written to Route 53, and a removed proxy is removed from them', async () => {
  hasKind = false;
  const { view, log } = start(1);
  await times('address', () => recordInRoute53()?.values ?? [], 2);
  expect(recordInRoute53()).toEqual({
    name: 'www.bar.com.',
    type: 'A',
    ttl: 60,
    values: ['203.0.113.1', '203.0.113.2'],
  });
  cluster.store.delete('Pod', 'haproxy-2', 'shop');
  await waitFor('the other record', () => `${recordInRoute53()?.values}` === '203.0.113.1');
  await waitFor('the view', () => `${view()?.addresses}` === '203.0.113.1');
  expect(view()).toEqual({
    target: 'route53',
    names: ['www.bar.com'],
    addresses: ['203.0.113.1'],
    problems: [],
  });
  expect(log).toContain('dns-written');
  expect(fake.changes).toHaveLength(2);
});

test('a missing zone is reported as an Event, in the log, the metrics and the status until it exists', async () => {
  hasKind = false;
  zones.length = 0;
  const { view, events, log, metrics } = start(1);
  await waitFor('the Event', () => events.length > 0);
  expect(events[0]).toMatchObject({ type: 'Warning', reason: 'DnsNotPublished' });
  expect(events[0]?.message).toContain('Cannot find the zone of "www.bar.com"');
  expect([view()?.problems, metrics()]).toEqual([
    [events[0]?.message],
    expect.stringContaining('hawser_proxy_dns_refused 1'),
  ]);
  const failures = () => fake.requests.length;
  const soFar = failures();
  await waitFor('more tries', () => failures() > soFar + 2);
  expect(events).toHaveLength(1);
  zones.push({ id: 'Z1', name: 'bar.com.', records: [] });
  await waitFor('the record', () => recordInRoute53() !== undefined);
  await times('Event', () => events, 2);
  expect(log.filter((event) => event === 'dns-failed' || event === 'dns-recovered')).toEqual([
    'dns-failed',
    'dns-recovered',
  ]);
});

test('an invalid name is reported, and the valid names are published', async () => {
  cluster.store.set(proxyPod(1, { names: 'www.bar.com, not_a_name.bar.com' }));
  const { events } = start(1);
  await holds('www.bar.com=203.0.113.1,203.0.113.2');
  await waitFor('the Event', () => events.some(({ message }) => message.includes('"not_a_name.bar.com"')));
});

test('missing permissions are reported with the manifest to apply', async () => {
  isForbidden = (path) => path.includes('/leases');
  const { view } = start(1);
  await waitFor('the Lease', () => view()?.problems[0]?.includes('Cannot hold Lease "hawser-haproxy"'));
  expect(view()?.problems[0]).toContain('manifests/pod-proxy/dns.yaml');
  isForbidden = (path) => path.includes('/nodes/');
  await waitFor('the Nodes', () => view()?.problems[0]?.includes('Cannot read Node "node-1"'));
  isForbidden = () => false;
  await holds('www.bar.com=203.0.113.1,203.0.113.2');
});

test('Services that may not be listed are reported with the manifest to apply, before and after they were listed', async () => {
  isForbidden = (path) => path.includes('/services');
  const { view, metrics } = start(1);
  await waitFor('the problem', () => view()?.problems[0]?.includes('Cannot list Services'));
  expect(view()?.problems[0]).toContain('manifests/pod-proxy/dns.yaml');
  await waitFor('the metric', () => metrics().includes('hawser_proxy_dns_refused 1'));
  isForbidden = () => false;
  await holds('www.bar.com=203.0.113.1,203.0.113.2');
  await waitFor('no problem', () => view()?.problems.length === 0);
  isForbidden = (path) => path.includes('/services');
  await server.setFaults({ reset: true });
  await server.setFaults({ reset: false });
  await waitFor('the problem again', () => view()?.problems[0]?.includes('Cannot list Services'));
  expect(view()?.target).toBe('external-dns');
});

test('a failed request for the Lease is not reported as missing permissions', async () => {
  isBroken = (path) => path.includes('/leases');
  const { view } = start(1);
  await waitFor('the Lease', () => view()?.problems[0]?.includes('Cannot hold Lease "hawser-haproxy"'));
  expect(view()?.problems[0]).toContain('etcd is gone');
  expect(view()?.problems[0]).not.toContain('dns.yaml');
});

test('removing the annotation releases the Lease and keeps the records; without it no request is sent', async () => {
  const { log, view } = start(1);
  await holds('www.bar.com=203.0.113.1,203.0.113.2');
  cluster.store.set(proxyPod(1, { names: '' }));
  await waitFor('the Lease', () => holder()?.holderIdentity === '');
  await waitFor('the log', () => log.includes('dns-names-left'));
  expect([targets(), view()]).toEqual(['www.bar.com=203.0.113.1,203.0.113.2', null]);
});

test('the addresses of a Service of type LoadBalancer take precedence over those of the Nodes', async () => {
  const loadBalancer = { ingress: [{ ip: '198.51.100.7' }] };
  cluster.store.set({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'edge', namespace: 'shop' },
    spec: { type: 'LoadBalancer', selector: { app: 'haproxy' } },
    status: { loadBalancer },
  });
  isForbidden = (path) => path.includes('/nodes/');
  start(1);
  await holds('www.bar.com=198.51.100.7');
  cluster.store.delete('Service', 'edge', 'shop');
  isForbidden = () => false;
  await holds('www.bar.com=203.0.113.1,203.0.113.2');
});
