import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  bareRoute,
  createWritingWorld,
  patient,
  type WritingWorld,
} from '../../../helpers/router/writing.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

let world: WritingWorld;

beforeEach(async () => {
  world = await createWritingWorld();
});

afterEach(async () => {
  await world.remove();
});

/** A lease that is lost while the API is down, and acquired again. */
const hasty = { durationMs: 20_000, renewDeadlineMs: 1_000, retryMs: 100 };

test.each([
  ['stalls', { stall: true }],
  ['resets connections', { reset: true }],
  ['fails', { error500: true }],
])('an API server that %s delays the statuses but loses none', async (_, faults) => {
  world.create(2);
  const replica = world.start({}, { ...patient, lease: hasty, requestTimeoutMs: 300 });
  await waitFor('the statuses', () => world.allAdmitted(2));
  const before = replica.events.length;
  await world.server.setFaults(faults);
  world.create(6);
  // On a slow machine there may be an earlier failure: the first request for the Lease was late.
  await waitFor('a failure', () => replica.events.slice(before).some(({ level }) => level === 'warn'));
  await world.server.setFaults({ stall: false, reset: false, error500: false });
  await waitFor('the rest', () => world.allAdmitted(6));
});

test('a route that is deleted before its status is written costs one try', async () => {
  world.answerWith((method, path) => {
    if (method === 'PATCH' && path.endsWith('/status')) world.store.delete('Route', 'shop-0', 'shop');
    return undefined;
  });
  world.create(1);
  const replica = world.start();
  await waitFor('the try', () => world.writes.length > 0);
  world.answerWith(() => undefined);
  world.store.set(bareRoute('shop', 'next'));
  await waitFor('the next one', () => world.isAdmitted('shop', 'next'));
  expect([world.writes.length, replica.counts.failed]).toEqual([2, 0]);
});

test('an API that discards accepted writes does not get the same write again and again', async () => {
  world.answerWith((method, path) => {
    const object = world.store.get('Route', 'shop-0', 'shop');
    return method === 'PATCH' && path.endsWith('/status') ? { code: 200, body: object } : undefined;
  });
  world.create(1);
  const replica = world.start({}, { ...patient, retry: { firstMs: 60_000, longestMs: 60_000 } });
  await waitFor('the report', () => replica.events.some(({ event }) => event === 'status-unwritable'));
  world.create(2);
  await waitFor('the second one', () => world.writes.length > 1);
  expect(world.writes.filter((path) => path.includes('shop-0'))).toHaveLength(1);
});

test('routers with the same name that disagree stop after five contentions, until a resync', async () => {
  world.create(4);
  const timing = { ...patient, resyncMs: 3_000 };
  const rivals = ['a', 'b'].map((name) =>
    world.start({ ROUTER_SERVICE_NAMESPACE: name, ROUTER_CANONICAL_HOSTNAME: `${name}.example.com` }, timing),
  );
  const told = () =>
    rivals.flatMap(({ events }) => events.filter(({ event }) => event === 'status-contended'));
  await waitFor('the report', () => told().length > 0);
  expect(told()[0]).toMatchObject({ router: 'public', remedy: expect.stringContaining('name') });
  expect(world.writes.length).toBeLessThan(40);
  await rivals[1]?.stop();
  const canonical = (index: number) =>
    JSON.stringify(world.entries('shop', `shop-${index}`)).includes('"a.example.com"');
  await waitFor('the statuses of the other one', () => [0, 1, 2, 3].every(canonical));
});

test("the router gives up on a status that a tenant's program keeps overwriting, and writes those of other tenants", async () => {
  world.create(1);
  const replica = world.start();
  for (let times = 1; times <= 5; times += 1) {
    await waitFor('our entry', () => world.isAdmitted('shop', 'shop-0'));
    const object = world.store.get('Route', 'shop-0', 'shop');
    if (object === undefined) throw new Error('no route');
    const conditions = [{ type: 'Admitted', status: 'False', reason: `Overwritten${times}` }];
    const [entry] = world.entries('shop', 'shop-0');
    world.store.set({ ...object, status: { ingress: [{ ...entry, conditions }] } });
    await waitFor('the contention', () => replica.counts.contended === times);
  }
  expect(replica.events.at(-1)).toMatchObject({ event: 'status-contended', route: 'shop/shop-0' });
  const before = world.writes.length;
  world.create(1, 'pay');
  await waitFor('the status of another tenant', () => world.isAdmitted('pay', 'pay-0'));
  expect([before, world.writes.length, world.isAdmitted('shop', 'shop-0')]).toEqual([5, 6, false]);
});

test("a tenant with many routes does not delay another tenant's change", async () => {
  world.create(1, 'small');
  world.start({}, { ...patient, writesPerSecond: 100 });
  await waitFor('the first status', () => world.isAdmitted('small', 'small-0'));
  world.create(300, 'big');
  await waitFor('some of the many', () => world.writes.length > 110);
  world.store.set(bareRoute('small', 'change'));
  await waitFor('the change', () => world.isAdmitted('small', 'change'));
  expect(world.writes.length).toBeLessThan(280);
});
