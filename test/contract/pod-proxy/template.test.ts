import { afterAll, beforeAll, expect, test } from 'vitest';
import { kubernetesSlice } from '../../helpers/api-server/objects.ts';
import { createPodProxies, type PodProxies, type PodProxy } from '../../helpers/pod-proxy.ts';
import { waitFor } from '../../helpers/wait-for.ts';

/** Those of the ten checks of ads-infra-haproxy's behaviour that need only one proxy. */
let world: PodProxies;
let proxy: PodProxy;

const template = `
frontend proxy
  bind            *:2181
  default_backend zookeeper

backend zookeeper
  mode tcp
  {%- for key in hosts %}
  {%- for ip in hosts[key] %}
  server {{key}}-{{loop.index}} {{ip}}:2181
  {%- endfor %}
  {%- endfor %}
`;
const annotations = { 'haproxy.unity3d.com/config': template };
const zookeeper = [
  { name: 'zk-1', app: 'zookeeper', ip: '10.0.0.2' },
  { name: 'zk-0', app: 'zookeeper', ip: '10.0.0.1' },
];

beforeAll(async () => {
  world = await createPodProxies(['haproxy-1', 'haproxy-2']);
  world.show({ annotations, pods: zookeeper });
  proxy = await world.start('haproxy-1', 29_452);
});

afterAll(() => world[Symbol.asyncDispose]());

test('check 1: servers replace the loops of the annotation', async () => {
  await proxy.serves('zookeeper-1', 'zookeeper-2');
  expect(proxy.configText()).toContain(
    '  mode tcp\n  server zookeeper-1 10.0.0.1:2181\n  server zookeeper-2 10.0.0.2:2181\n',
  );
});

test("check 2: the hosts never include the proxy's own pods, and a group without pods has no key", async () => {
  await waitFor('the hosts', async () => (await proxy.status()).hosts);
  expect((await proxy.status()).hosts).toEqual({ zookeeper: ['10.0.0.1', '10.0.0.2'] });
  expect(await proxy.metrics()).toContain('hawser_proxy_addresses{group="zookeeper"} 2');
});

test('check 3: the same set in another order, or pods that are not ready, cause no reload', async () => {
  const { pid } = await proxy.supervisor().waitForServing();
  const others = [
    { name: 'zk-2', app: 'zookeeper', ip: '10.0.0.3', ready: false },
    { name: 'foreign', app: 'web', ip: '10.0.0.4', master: 'other.default.svc' },
  ];
  world.show({ annotations, pods: [...others, ...zookeeper.toReversed()] });
  // A later change is served, so this one has been seen.
  world.show({ annotations, pods: [...zookeeper, ...others] });
  world.show({
    annotations,
    pods: [...zookeeper, { ...others[0], name: 'zk-2', app: 'zookeeper', ip: '10.0.0.3', ready: true }],
  });
  await proxy.serves('zookeeper-1', 'zookeeper-2', 'zookeeper-3');
  await proxy.said('configuration-changed');
  const changes = proxy.events().filter(({ event }) => /^configuration-(?:changed|reloaded)$/.test(event));
  expect(changes).toHaveLength(2);
  expect((await proxy.supervisor().waitForServing()).pid).toBe(pid);
});

test('check 9: names in the annotation get records with the external addresses without a reload', async () => {
  const { pid } = await proxy.supervisor().waitForServing();
  const dns = {
    'haproxy.unity3d.com/route53': 'foo.bar.com,baz.bar.com',
    'hawser.dev/external-ips': '203.0.113.9',
  };
  world.show({ annotations: { ...annotations, ...dns }, pods: zookeeper });
  await proxy.said('dns-written');
  const [object] = await world.listed('dnsendpoints', 'apis/externaldns.k8s.io/v1alpha1');
  const record = { recordType: 'A', recordTTL: 60, targets: ['203.0.113.9'] };
  expect(object).toMatchObject({
    metadata: { name: 'hawser-haproxy' },
    spec: {
      endpoints: [
        { dnsName: 'foo.bar.com', ...record },
        { dnsName: 'baz.bar.com', ...record },
      ],
    },
  });
  expect((await proxy.status()).dns).toMatchObject({ target: 'external-dns', problems: [] });
  expect((await proxy.supervisor().waitForServing()).pid).toBe(pid);
});

test.each([
  ['a template with an open loop', '{% for x in hosts %}', 'TemplateRefused', /unexpected end of file/],
  [
    'a template that never ends',
    '{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}x',
    'TemplateRefused',
    // On a busy machine this many steps take longer than the process's time limit.
    /line 1: it takes .* MAX_STEPS|not done within 10000 ms/,
  ],
  ['what HAProxy refuses', 'frontend a\n  bind *:2181\n  nonsense\n', 'ConfigurationRefused', /nonsense/],
  ['no template', '', 'TemplateMissing', /hawser.dev\/config/],
])(
  'check 5: %s leaves HAProxy unchanged, and appears as an Event, a log line, a metric and in the status',
  async (_what, text, reason, words) => {
    world.show({ annotations, pods: zookeeper });
    await proxy.serves('zookeeper-1', 'zookeeper-2');
    const [before, { pid }] = [proxy.configText(), await proxy.supervisor().waitForServing()];
    world.show({
      annotations: { 'hawser.dev/config': text, ...(text === '' ? {} : annotations) },
      pods: zookeeper,
    });
    await waitFor('the problem', async () => {
      const found = (await proxy.status()).problem;
      return found?.reason === reason && words.test(`${found.message}${found.detail}`);
    });
    expect(await proxy.metrics()).toContain('hawser_proxy_refused 1');
    expect(
      proxy.events().some(({ event, reason: said }) => event === 'template-unusable' && said === reason),
    ).toBe(true);
    const written = await waitFor('the Event', async () =>
      (await world.listed('events')).find((each) => each['reason'] === reason),
    );
    expect(written).toMatchObject({ type: 'Warning', involvedObject: { kind: 'Pod', name: 'haproxy-1' } });
    expect(proxy.configText()).toBe(before);
    expect((await proxy.supervisor().waitForServing()).pid).toBe(pid);
  },
);

test('an invalid label selector does not affect HAProxy, and is reported as an Event and in the status', async () => {
  world.show({ annotations, pods: zookeeper });
  await proxy.serves('zookeeper-1', 'zookeeper-2');
  world.show({ annotations: { ...annotations, 'hawser.dev/hosts': 'app in web' }, pods: zookeeper });
  await waitFor('the problem', async () => (await proxy.status()).problem?.reason === 'AnnotationRefused');
  expect((await proxy.status()).problem?.message).toContain(
    'annotation hosts "app in web": it is not a label selector',
  );
  await waitFor('the Event', async () =>
    (await world.listed('events')).find((each) => each['reason'] === 'AnnotationRefused'),
  );
  await proxy.serves('zookeeper-1', 'zookeeper-2');
});

test('after a correction the template is served and no problem is left', async () => {
  world.show({ annotations, pods: zookeeper });
  await proxy.serves('zookeeper-1', 'zookeeper-2');
  await waitFor('no problem', async () => (await proxy.status()).problem === null);
  expect((await proxy.status()).lastProblem?.reason).toMatch(/Refused$|Missing$/);
  expect(await proxy.metrics()).toContain('hawser_proxy_refused 0');
});

test('the annotations can select a ConfigMap for the template and EndpointSlices for the addresses', async () => {
  const data = { 'haproxy.cfg': template.replaceAll('zookeeper', 'api') };
  const configMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'long', namespace: 'default' },
    data,
  };
  const slice = kubernetesSlice('api-1', ['10.0.1.1', '10.0.1.2'], { notReady: ['10.0.1.2'] });
  world.show({
    annotations: {
      'hawser.dev/config-map': 'long',
      'hawser.dev/hosts': 'kubernetes.io/service-name=kubernetes',
    },
    pods: zookeeper,
    others: [configMap, slice],
  });
  await proxy.serves('kubernetes-1');
  expect(proxy.configText()).toContain('backend api\n  mode tcp\n  server kubernetes-1 10.0.1.1:2181\n');
});
