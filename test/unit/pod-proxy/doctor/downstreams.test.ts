import { expect, test } from 'vitest';
import { judgeDns, judgeTemplate } from '../../../../src/pod-proxy/doctor/checks.ts';
import { judgeDownstreams } from '../../../../src/pod-proxy/doctor/downstreams.ts';
import { type OwnPod, readOwnPod } from '../../../../src/pod-proxy/pod/pod.ts';
import { podProxySays } from '../../../helpers/status-samples.ts';

const podOf = (name: string, app: string | undefined, isReady: boolean, annotations: object = {}) => ({
  metadata: { name, namespace: 'default', ...(app !== undefined && { labels: { app } }), annotations },
  status: { podIP: '10.0.0.7', conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
});
const master = { 'hawser.dev/master': 'haproxy.default.svc' };
const ownWith = (annotations: object) => readOwnPod(podOf('proxy-1', 'haproxy', true, annotations)) as OwnPod;
const own = ownWith({});
const judge = (...items: readonly object[]) => judgeDownstreams(own, { kind: 'listed', items });

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
  const wrong = ownWith({ 'hawser.dev/hosts': 'a in (' });
  const answer = { kind: 'refused' as const, status: 400, message: 'unable to parse' };
  expect(judgeDownstreams(wrong, answer)).toMatchObject({
    kind: 'fail',
    message: expect.stringContaining('"a in ("'),
  });
  const chosen = ownWith({ 'hawser.dev/hosts': 'a in (b)' });
  expect(judgeDownstreams(chosen, { kind: 'listed', items: [] })).toMatchObject({
    kind: 'fail',
    message: expect.stringContaining('no EndpointSlice of default'),
  });
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
