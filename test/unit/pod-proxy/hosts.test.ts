import { describe, expect, it } from 'vitest';
import { readSlice } from '../../../src/pod-proxy/endpoint-slice.ts';
import { downstreamEndpoints, downstreamPods, hostsOf } from '../../../src/pod-proxy/hosts.ts';
import { type PodFacts, readPod } from '../../../src/pod-proxy/pod/pod.ts';
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

  it('are never the own pods, whatever they name', () => {
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

  it('leave out pods of another proxy, pods without a group, and invalid addresses', () => {
    expect(
      hostsOfPods(
        { name: 'other', app: 'web', ip: '10.0.0.1', master: 'other.default.svc' },
        { name: 'alone', ip: '10.0.0.2' },
        { name: 'odd', app: 'web', ip: '10.0.0.3\n  evil' },
      ),
    ).toEqual({});
  });

  it.each(['haproxy', 'haproxy.default', 'haproxy.default.svc', 'haproxy.default.svc.cluster.local'])(
    'are those that name the proxy %s',
    (master) => {
      expect(hostsOfPods({ name: 'a', app: 'web', ip: '10.0.0.1', master })).toEqual({ web: ['10.0.0.1'] });
    },
  );

  it('have an address once', () => {
    expect(
      hostsOfPods({ name: 'a', app: 'web', ip: '10.0.0.1' }, { name: 'b', app: 'web', ip: '10.0.0.1' }),
    ).toEqual({ web: ['10.0.0.1'] });
  });
});

describe('the hosts of EndpointSlices', () => {
  const slicesOf = (...slices: readonly Parameters<typeof kubernetesSlice>[]) =>
    slices.flatMap((each) => readSlice(kubernetesSlice(...each)) ?? []);

  it('are the ready endpoints, by the name of the Service', () => {
    const slices = slicesOf(
      ['a', ['10.0.0.2', '10.0.0.1'], { notReady: ['10.0.0.2'] }],
      ['b', ['10.0.0.3', '10.0.0.1']],
    );
    expect(hostsOf(downstreamEndpoints(own, slices))).toEqual({ kubernetes: ['10.0.0.1', '10.0.0.3'] });
  });

  it('are never those of a slice that has this pod', () => {
    expect(hostsOf(downstreamEndpoints(own, slicesOf(['a', ['10.0.0.9', '10.0.0.1']])))).toEqual({});
  });

  it("are never those of the Service with the proxy's name, whichever pods its slices have", () => {
    const slices = slicesOf(['a', ['10.0.0.9']], ['b', ['10.0.0.8']]);
    const renamed = slices.map((slice) => ({ ...slice, service: 'haproxy' }));
    expect(hostsOf(downstreamEndpoints(own, renamed))).toEqual({});
  });

  it('keep a Service whose name a forged slice with this pod has claimed', () => {
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
