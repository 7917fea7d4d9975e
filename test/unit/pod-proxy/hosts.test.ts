import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import {
  type Downstream,
  downstreamEndpoints,
  downstreamPods,
  hostsOf,
  limitGroups,
  MAX_ADDRESSES,
  MAX_GROUP_ADDRESSES,
} from '../../../src/pod-proxy/hosts.ts';
import { type PodFacts, readPod } from '../../../src/pod-proxy/pod/pod.ts';
import { readSlice, type SliceFacts } from '../../../src/pod-proxy/resources.ts';
import { renderJinja } from '../../../src/pod-proxy/template/jinja.ts';
import { kubernetesSlice } from '../../helpers/api-server/objects.ts';
import { type DownstreamPod, downstreamPod } from '../../helpers/pod-objects.ts';

const own = factsOf({ name: 'haproxy-1', app: 'haproxy', ip: '10.0.0.9' });

function factsOf(pod: DownstreamPod): PodFacts {
  const facts = readPod(downstreamPod(pod));
  if (facts === undefined) throw new Error('the helper made no pod');
  return facts;
}

function hostsOfPods(...pods: readonly DownstreamPod[]) {
  return hostsOf(downstreamPods(own, pods.map(factsOf)));
}

describe('the hosts of pods', () => {
  it('are grouped by the label app, in the order of names', () => {
    const hosts = hostsOfPods(
      { name: 'web-b', app: 'web', ip: '10.0.0.2' },
      { name: 'db-10', app: 'db', ip: '10.0.1.3' },
      { name: 'db-2', app: 'db', ip: '10.0.1.4' },
      { name: 'web-a', app: 'web', ip: '10.0.0.1' },
    );
    expect(JSON.stringify(hosts)).toBe('{"db":["10.0.1.4","10.0.1.3"],"web":["10.0.0.1","10.0.0.2"]}');
  });

  it("never include the proxy's own pods", () => {
    expect(
      hostsOfPods(
        { name: 'haproxy-1', app: 'haproxy', ip: '10.0.0.9' },
        { name: 'haproxy-2', app: 'haproxy', ip: '10.0.0.8' },
      ),
    ).toEqual({});
  });

  it('have no key for a group without a ready pod', () => {
    expect(
      hostsOfPods(
        { name: 'web-a', app: 'web', ip: '10.0.0.1', ready: false },
        { name: 'web-b', app: 'web', ip: '10.0.0.2', terminating: true },
        { name: 'web-c', app: 'web' },
      ),
    ).toEqual({});
  });

  it('omit pods of another proxy, pods without a group, and invalid addresses', () => {
    expect(
      hostsOfPods(
        { name: 'other', app: 'web', ip: '10.0.0.1', master: 'other.default.svc' },
        { name: 'alone', ip: '10.0.0.2' },
        { name: 'odd', app: 'web', ip: '10.0.0.3\n  evil' },
      ),
    ).toEqual({});
  });

  it.each(['haproxy', 'haproxy.default', 'haproxy.default.svc', 'haproxy.default.svc.cluster.local'])(
    'are those of the pods that name the proxy %s',
    (master) => {
      expect(hostsOfPods({ name: 'a', app: 'web', ip: '10.0.0.1', master })).toEqual({ web: ['10.0.0.1'] });
    },
  );

  it('contain each address once', () => {
    expect(
      hostsOfPods({ name: 'a', app: 'web', ip: '10.0.0.1' }, { name: 'b', app: 'web', ip: '10.0.0.1' }),
    ).toEqual({ web: ['10.0.0.1'] });
  });
});

describe('the hosts of EndpointSlices', () => {
  const slicesOf = (...slices: readonly Parameters<typeof kubernetesSlice>[]) =>
    slices.flatMap((each) => readSlice(kubernetesSlice(...each)) ?? []);

  it('are the ready endpoints, grouped by the name of the Service', () => {
    const slices = slicesOf(
      ['a', ['10.0.0.2', '10.0.0.1'], { notReady: ['10.0.0.2'] }],
      ['b', ['10.0.0.3', '10.0.0.1']],
    );
    expect(hostsOf(downstreamEndpoints(own, slices))).toEqual({ kubernetes: ['10.0.0.1', '10.0.0.3'] });
  });

  it('never include a slice that contains this pod', () => {
    expect(hostsOf(downstreamEndpoints(own, slicesOf(['a', ['10.0.0.9', '10.0.0.1']])))).toEqual({});
  });

  it("never include the Service with the proxy's name", () => {
    const slices = slicesOf(['a', ['10.0.0.9']], ['b', ['10.0.0.8']]);
    const renamed = slices.map((slice) => ({ ...slice, service: 'haproxy' }));
    expect(hostsOf(downstreamEndpoints(own, renamed))).toEqual({});
  });

  it('keep a Service whose name is used by a forged slice with this pod', () => {
    const slices = slicesOf(['forged', ['10.0.0.9']], ['real', ['10.0.0.1', '10.0.0.2']]);
    expect(hostsOf(downstreamEndpoints(own, slices))).toEqual({ kubernetes: ['10.0.0.1', '10.0.0.2'] });
  });
});

it('anything but a pod or a slice is ignored', () => {
  for (const object of [undefined, null, 1, {}, { metadata: {} }, { metadata: { name: 1 } }]) {
    expect(readPod(object)).toBeUndefined();
    expect(readSlice(object)).toBeUndefined();
  }
});

const group = (name: string, size: number): readonly Downstream[] =>
  Array.from({ length: size }, (_, index) => ({
    group: name,
    name: `${name}-${index}`,
    address: `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`,
  }));

const sizes = (...groups: readonly (readonly Downstream[])[]) => {
  const { downstreams, problem } = limitGroups(groups.flat());
  const counts = Map.groupBy(downstreams, (each) => each.group);
  return { sizes: Object.fromEntries([...counts].map(([name, all]) => [name, all.length])), problem };
};

test('groups within the limits keep every address, and nothing is reported', () => {
  const all = [...group('db', 3), ...group('web', MAX_GROUP_ADDRESSES)];
  expect(limitGroups(all)).toEqual({ downstreams: all, problem: undefined });
});

test('13,000 pods of one group leave the other groups complete, and the template still renders', () => {
  const found = limitGroups([...group('flood', 13_000), ...group('web', 3)]);
  expect(found.problem).toMatchObject({
    reason: 'AddressesLimited',
    message: expect.stringMatching(
      /^Cannot use all addresses of group "flood": .* MAX_GROUP_ADDRESSES \(2000\)/,
    ),
  });
  const manifest = join(import.meta.dirname, '../../../manifests/pod-proxy/deployment.yaml');
  const { annotations } = parse(readFileSync(manifest, 'utf8')).spec.template.metadata;
  const hosts = hostsOf(found.downstreams);
  const outcome = renderJinja({ template: annotations['hawser.dev/config'], model: { hosts, certs: {} } });
  expect(outcome).toMatchObject({
    kind: 'rendered',
    text: expect.stringContaining('server web-3 10.0.0.2:8080'),
  });
});

test('a limited group keeps its first addresses, and its message does not change with the pods', () => {
  const [some, more] = [group('web', 2_500), group('web', 2_600)].map(limitGroups);
  expect(some?.downstreams).toEqual(group('web', MAX_GROUP_ADDRESSES));
  expect(more?.problem).toEqual(some?.problem);
});

test('a forged slice with 1,000 endpoints does not push out the real ones of its Service', () => {
  const sliceOf = (name: string, size: number, net: number): SliceFacts => ({
    service: 'web',
    endpoints: Array.from({ length: size }, (_, index) => ({
      name: `${name}-${index}`,
      addresses: [`10.${net}.${index >> 8}.${index & 255}`],
      isReady: true,
    })),
  });
  const forged = [1, 2, 3].map((net) => sliceOf('a', 1_000, net));
  const { downstreams } = limitGroups(downstreamEndpoints(own, [...forged, sliceOf('web', 100, 9)]));
  expect(downstreams).toHaveLength(MAX_GROUP_ADDRESSES);
  expect(downstreams.filter(({ name }) => name.startsWith('web-'))).toHaveLength(100);
  expect(downstreams.slice(0, 4).map(({ name }) => name)).toEqual(['a-0', 'a-0', 'a-0', 'a-1']);
});

test('if all groups have too many addresses, the largest are limited and small groups stay complete', () => {
  const found = sizes(group('a', 1_900), group('b', 1_900), group('c', 1_900), group('small', 20));
  expect(found.sizes).toEqual({ a: 1_660, b: 1_660, c: 1_660, small: 20 });
  expect(found.problem?.message).toContain('MAX_ADDRESSES (5000)');
});

test('more groups than addresses are cut to one address each, up to the limit', () => {
  const found = limitGroups(
    Array.from({ length: MAX_ADDRESSES + 100 }, (_, index) => group(`g${index}`, 2)).flat(),
  );
  expect(found.downstreams).toHaveLength(MAX_ADDRESSES);
  expect(new Set(found.downstreams.map((each) => each.group)).size).toBe(MAX_ADDRESSES);
});
