import { afterEach, beforeEach, expect, test } from 'vitest';
import { trackApi } from '../../../src/engine/kube/outage.ts';
import type { Log } from '../../../src/engine/system/log.ts';
import { type FollowedProxy, followProxy } from '../../../src/pod-proxy/follow-proxy.ts';
import type { ApiServer } from '../../helpers/api-server/api-server.ts';
import { kubernetesSlice } from '../../helpers/api-server/objects.ts';
import { createTestCluster, openTestSession, type TestCluster } from '../../helpers/api-server/observing.ts';
import { downstreamPod, tlsSecret } from '../../helpers/pod-objects.ts';
import { waitFor } from '../../helpers/wait-for.ts';

let cluster: TestCluster;
let server: ApiServer;
let forbidden: string;
let nowMs: number;
let events: string[];
let doubted: unknown[];
/** The problem after each change. */
let seen: (string | undefined)[];
let leave: () => Promise<void>;
let followed: FollowedProxy;

beforeEach(async () => {
  [cluster, forbidden, nowMs, events, doubted, seen] = [createTestCluster(), '', 0, [], [], []];
  server = await cluster.start({
    instead: (_, path) => {
      if (forbidden === '' || !path.includes(`/${forbidden}`)) return undefined;
      const message = `${forbidden} is forbidden: User "proxy" cannot list resource "${forbidden}" in API group "" in the namespace "default"`;
      return { code: 403, body: { kind: 'Status', code: 403, message } };
    },
  });
  cluster.writeKubeconfig(server.url);
  cluster.store.set(downstreamPod({ name: 'web-0', app: 'web', ip: '10.0.0.1' }));
});

afterEach(async () => {
  await leave();
  await cluster.remove();
});

function start(annotations: Readonly<Record<string, string>>): void {
  const own = downstreamPod({ name: 'haproxy-1', app: 'haproxy' });
  cluster.store.set({
    ...own,
    metadata: { ...own.metadata, annotations: { 'hawser.dev/config': 'text', ...annotations } },
  });
  const session = openTestSession(cluster);
  const stop = new AbortController();
  const place = { namespace: 'default', pod: 'haproxy-1' };
  const report: Log = ({ event, ...facts }) => {
    events.push(event);
    if (event === 'list-doubted') doubted.push(facts['what']);
  };
  followed = followProxy(place, {
    session,
    report,
    outage: trackApi(report),
    onChange: () => seen.push(problem()?.reason),
    nowMs: () => nowMs,
  });
  const ended = followed.run(stop.signal);
  leave = async () => {
    stop.abort();
    await ended;
    session.close();
  };
}

const problem = () => {
  const view = followed.view();
  return view.kind === 'unknown' ? undefined : view.problem;
};

const known = () =>
  waitFor('the pods', () => {
    const view = followed.view();
    return view.kind === 'known' ? view : undefined;
  });

const isWatched = (watches: number) =>
  waitFor(`${watches} watches`, () => server.served().watches === watches);

/** Ends every watch, so that everything is listed again. */
async function interrupt(): Promise<void> {
  await server.setFaults({ lie: 'old' });
  await server.setFaults({ lie: 'none' });
}

test.each([
  ['secrets', { 'hawser.dev/certs': 'web' }, 'docs/pod-proxy.md'],
  [
    'configmaps',
    { 'hawser.dev/config': '', 'hawser.dev/config-map': 'long' },
    'manifests/pod-proxy/rbac.yaml',
  ],
  ['endpointslices', { 'hawser.dev/hosts': 'app=web' }, 'manifests/pod-proxy/rbac.yaml'],
])(
  '%s that the proxy may not read are a problem that names the missing right, until it is granted',
  async (kind, annotations, role) => {
    forbidden = kind;
    start(annotations);
    await waitFor('the problem', () => problem()?.reason === 'NotReadable');
    expect(problem()?.message).toMatch(/^Cannot list .* is forbidden/);
    expect(problem()?.message).toContain(`"proxy" to list and watch ${kind}, such as the one in ${role}`);
    forbidden = '';
    await waitFor('another view', () => problem()?.reason !== 'NotReadable');
  },
);

test.each([
  ['the pods', 'pods?limit', {}, 2],
  ['its own pod', 'pods?fieldSelector', {}, 2],
  ['a Secret', 'secrets', { 'hawser.dev/certs': 'web, api' }, 4],
])(
  'a permission for %s that is lost later is a problem at once, and what was read before is served',
  async (_, kind, annotations, watches) => {
    for (const name of ['web', 'api']) cluster.store.set(tlsSecret(name, cluster.client));
    start(annotations);
    expect(await known()).toMatchObject({ problem: undefined });
    await isWatched(watches);
    forbidden = kind;
    await interrupt();
    await waitFor('the problem', () => problem()?.reason === 'NotReadable');
    expect(problem()?.message).toContain('is forbidden');
    expect(await known()).toMatchObject({ downstreams: [{ address: '10.0.0.1' }] });
    forbidden = '';
    await waitFor('its end', () => problem() === undefined);
  },
);

test('a permission for one Secret stays missing while another Secret is listed again and changes', async () => {
  for (const name of ['web', 'api']) cluster.store.set(tlsSecret(name, cluster.client));
  start({ 'hawser.dev/certs': 'web, api' });
  await known();
  await isWatched(4);
  forbidden = 'secrets?fieldSelector=metadata.name%3Dapi';
  await interrupt();
  await waitFor('the problem', () => problem()?.reason === 'NotReadable');
  const soFar = seen.length;
  await isWatched(3);
  await interrupt();
  const renewed = cluster.authority.issue({ commonName: 'renewed' });
  cluster.store.set(tlsSecret('web', renewed));
  await waitFor('the change', async () => (await known()).certificates['web']?.includes(renewed.key.trim()));
  expect(new Set(seen.slice(soFar))).toEqual(new Set(['NotReadable']));
});

test('addresses are computed once for many events that do not change them', async () => {
  start({});
  const { downstreams } = await known();
  cluster.store.set(downstreamPod({ name: 'other', app: 'x', master: 'other.default.svc' }));
  cluster.store.set(downstreamPod({ name: 'web-1', app: 'web', ip: '10.0.0.2' }));
  const changed = await waitFor('the other pod', async () => {
    const now = (await known()).downstreams;
    return now.length === 2 ? now : undefined;
  });
  expect([(await known()).downstreams === changed, changed === downstreams]).toEqual([true, false]);
});

test('an API that does not answer is logged once, and a problem after a minute', async () => {
  cluster.store.set(tlsSecret('web', cluster.client));
  start({ 'hawser.dev/certs': 'web' });
  await known();
  const soFar = seen.length;
  await server.setFaults({ refuse: true, reset: true });
  await waitFor('the outage of all three lists', () => seen.length >= soFar + 3);
  nowMs = 59_999;
  expect(problem()).toBeUndefined();
  nowMs = 60_000;
  expect(problem()).toMatchObject({
    reason: 'NotReadable',
    message: expect.stringContaining('ECONN'),
  });
  expect(await known()).toMatchObject({ downstreams: [{ address: '10.0.0.1' }] });
  await server.setFaults({ refuse: false, reset: false });
  await waitFor('its end', () => problem() === undefined && events.includes('api-recovered'));
  expect(events.filter((event) => event === 'api-unavailable')).toHaveLength(1);
});

test.each([
  ['pods that name haproxy.default', {}],
  ['EndpointSlices with app=web', { 'hawser.dev/hosts': 'app=web' }],
])('an empty list of the %s removes no address until a second list agrees', async (what, annotations) => {
  const { metadata, ...slice } = kubernetesSlice('web', ['10.0.0.1']);
  cluster.store.set({ ...slice, metadata: { ...metadata, labels: { ...metadata.labels, app: 'web' } } });
  start(annotations);
  expect(await known()).toMatchObject({ downstreams: [{ address: '10.0.0.1' }] });
  await isWatched(2);
  await server.setFaults({ lie: 'empty' });
  await waitFor('the doubt', () => doubted.includes(what));
});

test('a group with too many pods is truncated and reported, and another group is served in full', async () => {
  for (let index = 0; index < 2_001; index += 1)
    cluster.store.set(
      downstreamPod({ name: `flood-${index}`, app: 'flood', ip: `10.1.${index >> 8}.${index & 255}` }),
    );
  start({});
  const view = await known();
  const counts = Map.groupBy(view.downstreams, ({ group }) => group);
  expect([...counts].map(([group, all]) => [group, all.length])).toEqual([
    ['flood', 2_000],
    ['web', 1],
  ]);
  expect(view.problem?.reason).toBe('AddressesLimited');
});
