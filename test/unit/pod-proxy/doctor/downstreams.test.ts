import { expect, test } from 'vitest';
import { judgeDns, judgeTemplate } from '../../../../src/pod-proxy/doctor/checks.ts';
import { judgePods, judgeSlices, judgeWrongSelector } from '../../../../src/pod-proxy/doctor/downstreams.ts';
import { type OwnPod, readOwnPod } from '../../../../src/pod-proxy/pod/pod.ts';
import { podsResource } from '../../../../src/pod-proxy/resources.ts';
import { podProxySays } from '../../../helpers/status-samples.ts';

const podOf = (name: string, app: string | undefined, isReady: boolean, annotations: object = {}) => ({
  metadata: { name, namespace: 'default', ...(app !== undefined && { labels: { app } }), annotations },
  status: { podIP: '10.0.0.7', conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
});
const master = { 'hawser.dev/master': 'haproxy.default.svc' };
const ownWith = (annotations: object) => readOwnPod(podOf('proxy-1', 'haproxy', true, annotations)) as OwnPod;
const own = ownWith({});
const judge = (...items: readonly object[]) =>
  judgePods(own, { kind: 'listed', objects: items.flatMap((item) => podsResource(own).project(item) ?? []) });

test('a group with a ready pod passes', () => {
  expect(judge(podOf('web-1', 'web', true, master))).toMatchObject({ kind: 'ok' });
});

test.each([
  [
    'no pod names the proxy',
    [podOf('web-1', 'web', true)],
    'fail',
    'no pod of default names haproxy.default',
  ],
  ['no pod is ready', [podOf('web-1', 'web', false, master)], 'fail', 'no pod of web is ready'],
  [
    'one group has no ready pod',
    [podOf('web-1', 'web', true, master), podOf('x-1', 'constructor', false, master)],
    ...(['warn', 'groups without a ready pod: constructor'] as const),
  ],
  ['a pod has no label app', [podOf('web-1', undefined, true, master)], 'warn', 'without the label app'],
] as const)('%s', (_, items, kind, words) => {
  expect(judge(...items)).toMatchObject({ kind, message: expect.stringContaining(words) });
});

test('a selector that is invalid or matches nothing is reported', () => {
  const message = 'Cannot read annotation hosts "a in ("';
  expect(judgeWrongSelector(message)).toMatchObject({ kind: 'fail', message });
  const refused = { kind: 'failure', status: 400, message: 'unable to parse' } as const;
  expect(judgeSlices(own, 'a in (b)', refused)).toMatchObject({
    kind: 'fail',
    message: expect.stringContaining('the API refuses the selector "a in (b)"'),
  });
  expect(judgeSlices(own, 'a in (b)', { kind: 'listed', objects: [] })).toMatchObject({
    kind: 'fail',
    message: expect.stringContaining('no EndpointSlice of default'),
  });
});

test('objects that cannot be listed are unknown, not missing', () => {
  const failure = { kind: 'failure', status: 500, message: 'Cannot list pods: etcd is gone' } as const;
  for (const finding of [judgePods(own, failure), judgeSlices(own, 'a', failure)])
    expect(finding).toMatchObject({ kind: 'unknown', message: failure.message });
});

test('a missing or refused template is reported with a remedy', () => {
  expect(judgeTemplate(podProxySays)).toMatchObject({ kind: 'ok' });
  const problem = { reason: 'TemplateMissing', message: 'the pod has no annotation hawser.dev/config' };
  expect(judgeTemplate({ ...podProxySays, problem })).toMatchObject({
    kind: 'fail',
    remedy: expect.stringContaining('kubectl annotate pod'),
  });
});

test("wrong DNS records fail with the replica's message", () => {
  const dns = { target: 'route53', names: ['a.bar.com', 'b.bar.com'], addresses: [], problems: [] };
  expect(judgeDns(podProxySays)).toMatchObject({ kind: 'skip' });
  expect(judgeDns({ ...podProxySays, dns })).toEqual({ kind: 'ok', message: '2 names by route53' });
  const wrong = { ...dns, problems: ['No proxy is ready'] };
  expect(judgeDns({ ...podProxySays, dns: wrong })).toMatchObject({
    kind: 'fail',
    message: 'No proxy is ready',
  });
});
