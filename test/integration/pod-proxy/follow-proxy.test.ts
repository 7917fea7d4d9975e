import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FollowedProxy, followProxy } from '../../../src/pod-proxy/follow-proxy.ts';
import { createTestCluster, openTestSession, type TestCluster } from '../../helpers/api-server/observing.ts';
import { downstreamPod } from '../../helpers/pod-objects.ts';
import { waitFor } from '../../helpers/wait-for.ts';

let cluster: TestCluster;
let forbidden: string;
let leave: () => Promise<void>;
let followed: FollowedProxy;

beforeEach(async () => {
  [cluster, forbidden] = [createTestCluster(), ''];
  const server = await cluster.start({
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
  followed = followProxy(place, { session, report: () => undefined, onChange: () => undefined });
  const ended = followed.run(stop.signal);
  leave = async () => {
    stop.abort();
    await ended;
    session.close();
  };
}

const problem = () => {
  const view = followed.view();
  return view.kind === 'unusable' ? view.problem : undefined;
};

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

test('a group with too many pods is truncated and reported, and another group is served in full', async () => {
  for (let index = 0; index < 2_001; index += 1)
    cluster.store.set(
      downstreamPod({ name: `flood-${index}`, app: 'flood', ip: `10.1.${index >> 8}.${index & 255}` }),
    );
  start({});
  const view = await waitFor('the pods', () => {
    const found = followed.view();
    return found.kind === 'known' ? found : undefined;
  });
  const counts = Map.groupBy(view.downstreams, ({ group }) => group);
  expect([...counts].map(([group, all]) => [group, all.length])).toEqual([
    ['flood', 2_000],
    ['web', 1],
  ]);
  expect(view.problem?.reason).toBe('AddressesLimited');
});
