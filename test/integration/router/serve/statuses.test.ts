import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { addressesOf } from '../../../../src/router/status/published-addresses.ts';
import type { StoredObject } from '../../../helpers/api-server/object-store.ts';
import { type LiveRouter, startLiveRouter } from '../../../helpers/router/live-router.ts';
import { plainRoute, slice } from '../../../helpers/router/route-objects.ts';
import { bareIngress } from '../../../helpers/router/writing.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

let live: LiveRouter;

const namespace = (name: string, team: string): StoredObject => ({
  kind: 'Namespace',
  apiVersion: 'v1',
  metadata: { name, labels: { team } },
});
const web = plainRoute('web', 'web.test');
const thief = plainRoute('thief', 'web.test', { createdAt: 1 });
const bill = plainRoute('bill', 'bill.test', { namespace: 'pay' });
const balancer: StoredObject = {
  kind: 'Service',
  apiVersion: 'v1',
  metadata: { name: 'router', namespace: 'edge' },
  spec: { type: 'LoadBalancer' },
  status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
};
const edge = [balancer, bareIngress('shop', 'site')];
const pods = [slice('web', [0]), slice('bill', [1], 'pay')];

beforeAll(async () => {
  live = await startLiveRouter({
    env: {
      NAMESPACE_LABELS: 'team=mine',
      ROUTER_CANONICAL_HOSTNAME: 'router.test',
      HAWSER_INGRESS_CLASS: 'hawser',
      HAWSER_PUBLISH_SERVICE: 'edge/router',
    },
    objects: [namespace('shop', 'mine'), namespace('pay', 'other'), web, thief, bill, ...pods, ...edge],
  });
});
afterAll(async () => {
  await live[Symbol.asyncDispose]();
});

const entrySchema = z.object({
  host: z.string(),
  routerName: z.string(),
  routerCanonicalHostname: z.string(),
  conditions: z.array(z.looseObject({ type: z.string(), status: z.string() })),
});
const routeSchema = z.looseObject({
  status: z.optional(z.object({ ingress: z.optional(z.array(entrySchema)) })),
});

async function entriesOf({ metadata: { name, namespace: of } }: StoredObject) {
  const path = `/apis/route.openshift.io/v1/namespaces/${of}/routes/${name}`;
  const text = await live.cluster.get(`https://${live.host}:6443${path}`);
  return z.parse(routeSchema, JSON.parse(text)).status?.ingress ?? [];
}

async function admitted(route: StoredObject, status: 'True' | 'False') {
  return await waitFor('the status', async () => {
    const [entry] = await entriesOf(route);
    return entry?.conditions[0]?.status === status ? entry : undefined;
  });
}

test('11: the status of a route says if its host belongs to an older one', async () => {
  expect(await admitted(web, 'True')).toMatchObject({
    host: 'web.test',
    routerName: 'public',
    routerCanonicalHostname: 'router.test',
  });
  expect((await admitted(thief, 'False')).conditions).toMatchObject([
    { reason: 'HostAlreadyClaimed', message: 'route web already has web.test and is older' },
  ]);
});

test("a served Ingress gets the addresses of the router's Service", async () => {
  const path = '/apis/networking.k8s.io/v1/namespaces/shop/ingresses/site';
  await waitFor('the address', async () => {
    const text = await live.cluster.get(`https://${live.host}:6443${path}`);
    return addressesOf(JSON.parse(text))[0] === '192.0.2.1';
  });
});

test('22: a namespace whose labels change comes and goes, with the statuses of its routes', async () => {
  expect(await entriesOf(bill)).toEqual([]);
  live.set([namespace('shop', 'mine'), namespace('pay', 'mine'), web, thief, bill, ...pods, ...edge]);
  const entry = await admitted(bill, 'True');
  await live.answers('bill.test', 'b');
  const written = { ...bill, status: { ingress: [entry] } };
  live.set([namespace('shop', 'mine'), namespace('pay', 'other'), web, thief, written, ...pods, ...edge]);
  await live.answers('bill.test', '503');
  await waitFor('the removal of our entry', async () => (await entriesOf(bill)).length === 0);
});
