import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { identify, listPage, statusObject } from '../../../../src/engine/kube/kube-objects.ts';
import { leaseObject } from '../../../../src/engine/kube/lease-spec.ts';
import { readWatch } from '../../../../src/engine/kube/watch-stream.ts';
import { readEndpointSlice } from '../../../../src/router/follow/endpoints.ts';
import { readIngress } from '../../../../src/router/follow/ingress.ts';
import { projecting, type Reading } from '../../../../src/router/follow/reading.ts';
import { readRoute } from '../../../../src/router/follow/route.ts';
import { readSecret } from '../../../../src/router/follow/secret.ts';
import { readService } from '../../../../src/router/follow/service.ts';
import { readRecording } from '../../../helpers/recordings.ts';

/** Responses of kube-apiserver 1.34. */
const bodyOf = (name: string): string => readRecording(`objects/${name}`).body;

test.each<[string, (object: unknown) => Reading<unknown>, object]>([
  ['routes-list', readRoute, { namespace: 'store', name: 'web', host: 'web.example.com' }],
  ['ingress-list', readIngress, { namespace: 'store', name: 'web' }],
  ['secrets-list-type', readSecret, { namespace: 'store', name: 'web-tls' }],
  ['services-list', readService, { namespace: 'store', name: 'web' }],
  ['endpointslices-list-routers', readEndpointSlice, { namespace: 'store' }],
])('every object of a real %s is read', (name, read, expected) => {
  const { items = [] } = listPage.parse(JSON.parse(bodyOf(name)));
  const readings = (items ?? []).map(read);
  expect(readings.length).toBeGreaterThan(0);
  for (const reading of readings) expect(reading.kind).toBe('read');
  expect(readings).toContainEqual({ kind: 'read', value: expect.objectContaining(expected) });
});

test('a real watch of Routes: a status, another host, a deletion, a bookmark', async () => {
  const stream = Readable.from([Buffer.from(bodyOf('routes-watch'))]);
  const limits = { idleMs: 60_000, maxLineBytes: 1_000_000 };
  const messages = readWatch(stream, { project: projecting(readRoute) }, limits);
  expect(await Readable.from(messages).toArray()).toMatchObject([
    { kind: 'object', key: 'store/web', resourceVersion: '237', value: { host: 'web.example.com' } },
    { kind: 'object', key: 'store/api', resourceVersion: '238', value: { host: 'other.example.com' } },
    { kind: 'object', key: 'store/api', resourceVersion: '239', value: undefined },
    { resourceVersion: '239' },
  ]);
});

test('the real "too old" event of Routes triggers a new list', async () => {
  const stream = Readable.from([Buffer.from(bodyOf('watch-too-old-routes'))]);
  const limits = { idleMs: 60_000, maxLineBytes: 1_000_000 };
  const messages = readWatch(stream, { project: projecting(readRoute) }, limits);
  expect(await Readable.from(messages).toArray()).toEqual([{ kind: 'expired' }]);
});

test('a real Lease has a version and a holder', () => {
  expect(leaseObject.parse(JSON.parse(bodyOf('lease-get')))).toMatchObject({
    metadata: { resourceVersion: '240' },
    spec: { holderIdentity: 'a', leaseDurationSeconds: 15 },
  });
});

test.each([
  ['lease-update-conflict', 'the object has been modified'],
  ['routes-status-invalid', 'Route.route.openshift.io "web" is invalid: status.ingress[0].host'],
  ['secrets-list-forbidden', 'cannot list resource "secrets" in API group "" at the cluster scope'],
])('the message of the real %s is recognized', (name, words) => {
  expect(statusObject.parse(JSON.parse(bodyOf(name))).message).toContain(words);
});

test('the identity of an item of a real list needs no kind', () => {
  const { items } = listPage.parse(JSON.parse(bodyOf('ingress-list')));
  expect((items ?? []).map((item) => identify(item).key)).toEqual(['store/web']);
});
