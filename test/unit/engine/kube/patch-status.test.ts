import { afterEach, beforeEach, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { patchStatus } from '../../../../src/engine/kube/patch-status.ts';
import type { ApiServer, Caller } from '../../../helpers/api-server/api-server.ts';
import { route } from '../../../helpers/api-server/objects.ts';
import {
  createTestCluster,
  openTestSession,
  type TestCluster,
} from '../../../helpers/api-server/observing.ts';

const shop = { apiVersion: 'route.openshift.io/v1', plural: 'routes', namespace: 'shop', name: 'a' };
const limits = { signal: new AbortController().signal, timeoutMs: 60_000 };
const hosted = z.object({ spec: z.object({ host: z.string() }) });
/** Admits a route with its current host. */
const admit = (fresh: unknown) => ({ ingress: [{ host: z.parse(hosted, fresh).spec.host }] });
const admitting = { decide: admit };

let cluster: TestCluster;
let session: ReturnType<typeof openTestSession>;
let server: ApiServer;
/** Called before each request is answered. */
let onRequest: (caller: Caller) => void;

beforeEach(async () => {
  cluster = createTestCluster();
  onRequest = () => undefined;
  server = await cluster.start({
    authorize: (caller) => {
      onRequest(caller);
      return 'allowed';
    },
  });
  cluster.writeKubeconfig(server.url);
  cluster.store.set(route('shop', 'a', 'a.example'));
  session = openTestSession(cluster);
});

afterEach(async () => {
  session.close();
  await cluster.remove();
});

const stored = () => cluster.store.get('Route', 'a', 'shop');
const writes = () => server.requests.filter((path) => path.endsWith('/status')).length;

test('the status is patched, and the rest of the object is unchanged', async () => {
  const before = stored();
  expect(await patchStatus(session, shop, admitting, limits)).toMatchObject({ kind: 'patched' });
  expect(stored()).toMatchObject({ spec: before?.['spec'], status: { ingress: [{ host: 'a.example' }] } });
});

test('a status that is already correct is not written', async () => {
  expect(await patchStatus(session, shop, { decide: () => undefined }, limits)).toMatchObject({
    kind: 'unchanged',
  });
  expect(writes()).toBe(0);
});

test('after a conflict, the status is decided again from the fresh object', async () => {
  onRequest = ({ path }) => {
    if (path.endsWith('/status') && writes() === 1) cluster.store.set(route('shop', 'a', 'new.example'));
  };
  expect(await patchStatus(session, shop, admitting, limits)).toMatchObject({ kind: 'patched' });
  expect(stored()).toMatchObject({ status: { ingress: [{ host: 'new.example' }] } });
  expect(writes()).toBe(2);
});

test('patching an object that keeps changing stops after five attempts', async () => {
  onRequest = ({ path }) => {
    if (path.endsWith('/status')) cluster.store.set(route('shop', 'a', `${writes()}.example`));
  };
  expect(await patchStatus(session, shop, admitting, limits)).toEqual({ kind: 'conflict' });
  expect(writes()).toBe(5);
});

test('an object that was deleted in the meantime is reported as gone', async () => {
  onRequest = ({ path }) => {
    if (path.endsWith('/status')) cluster.store.delete('Route', 'a', 'shop');
  };
  expect(await patchStatus(session, shop, admitting, limits)).toEqual({ kind: 'gone' });
  expect(await patchStatus(session, shop, admitting, limits)).toEqual({ kind: 'gone' });
});

test('an invalid status is refused once, by one server', async () => {
  const outcome = await patchStatus(session, shop, { decide: () => ({ ingress: 'none' }) }, limits);
  expect(outcome).toMatchObject({
    kind: 'refused',
    status: 422,
    message: expect.stringMatching(/status.ingress/),
  });
  expect(writes()).toBe(1);
});

test.each([
  ['is overloaded', { retryAfterSeconds: 30 }],
  ['fails', { error500: true }],
  ['hangs', { stall: true }],
  ['resets connections', { reset: true }],
])('if one API server %s, another one gets the write', async (_what, faults) => {
  const second = await cluster.start();
  session.remember([`127.0.0.1:${second.port}`]);
  await server.setFaults(faults);
  const timing = { ...limits, timeoutMs: 1_000 };
  expect(await patchStatus(session, shop, admitting, timing)).toMatchObject({ kind: 'patched' });
});

test('without an API server patching fails', async () => {
  await server.setFaults({ refuse: true });
  expect(await patchStatus(session, shop, admitting, limits)).toMatchObject({ kind: 'failure' });
});

test('a patch whose answer was lost is found in place, and not repeated', async () => {
  const second = await cluster.start();
  session.remember([`127.0.0.1:${second.port}`]);
  let decisions = 0;
  onRequest = ({ path }) => {
    if (!path.endsWith('/status')) return;
    cluster.store.set({ ...route('shop', 'a', 'a.example'), status: { ingress: [{ host: 'a.example' }] } });
    void server.setFaults({ reset: true });
  };
  const outcome = await patchStatus(
    session,
    shop,
    {
      decide: (fresh) => {
        decisions += 1;
        return decisions === 1 ? admit(fresh) : undefined;
      },
    },
    limits,
  );
  expect(outcome).toMatchObject({ kind: 'unchanged' });
});

test('a known object is not read, and the outcome has the current object', async () => {
  const outcome = await patchStatus(session, shop, { decide: admit, known: stored() }, limits);
  expect(outcome).toEqual({ kind: 'patched', object: stored() });
  expect(server.requests).toHaveLength(1);
});

test('an object known in an old version is read and decided again', async () => {
  const known = stored();
  cluster.store.set(route('shop', 'a', 'new.example'));
  expect(await patchStatus(session, shop, { decide: admit, known }, limits)).toMatchObject({
    kind: 'patched',
  });
  expect(stored()).toMatchObject({ status: { ingress: [{ host: 'new.example' }] } });
  expect(server.requests).toHaveLength(3);
});
