import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Answer, status } from '../../../helpers/api-server/answers.ts';
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

describe('contract 23: three replicas', () => {
  test('contract 23: write each status once, with host and reason, and nothing more while nothing changes', async () => {
    world.create(10);
    world.store.set(bareRoute('zoo', 'thief', 'shop-0.example.com'));
    const all = [world.start(), world.start(), world.start()];
    await waitFor('the statuses', () => world.allAdmitted(10) && world.entries('zoo', 'thief').length > 0);
    expect(world.entries('zoo', 'thief')).toMatchObject([
      { host: 'shop-0.example.com', conditions: [{ status: 'False', reason: 'HostAlreadyClaimed' }] },
    ]);
    const { requests } = world.server.served();
    await waitFor('more tries for the lease', () => world.server.served().requests > requests + 20);
    expect(world.writes).toHaveLength(11);
    expect(all.flatMap(({ events }) => events.map(({ event }) => event))).toEqual(['lease-acquired']);
  });

  test('take over from a dead holder and write nothing twice', async () => {
    world.create(3);
    // Short for the heir, but with a long renew deadline: neither the holder nor the heir loses the lease on a busy machine.
    const lease = { durationMs: 2_000, renewDeadlineMs: 60_000, retryMs: 100 };
    const holder = world.start({}, { ...patient, lease });
    await waitFor('the statuses', () => world.allAdmitted(3));
    holder.lose();
    const heir = world.start({}, { ...patient, lease });
    world.store.set(bareRoute('shop', 'late'));
    await waitFor('the late one', () => world.isAdmitted('shop', 'late'));
    // The API has the status before the heir has the answer.
    await waitFor('the heir to count it', () => heir.counts.written > 0);
    expect(heir.counts.written).toBe(1);
    expect(world.writes).toHaveLength(4);
  });
});

test('contract 11: a route that loses its host says so, and gets it once the older one is gone', async () => {
  const named = (namespace: string, year: number) => {
    const object = bareRoute(namespace, 'web', 'app.example.com');
    return { ...object, metadata: { ...object.metadata, creationTimestamp: `${year}-01-01T00:00:00Z` } };
  };
  world.store.set(named('first', 2025));
  world.store.set(named('second', 2026));
  world.start();
  const reason = () => world.entries('second', 'web')[0]?.conditions[0]?.reason;
  await waitFor('the refusal', () => reason() === 'HostAlreadyClaimed' && world.isAdmitted('first', 'web'));
  world.store.delete('Route', 'web', 'first');
  await waitFor('the admission', () => world.isAdmitted('second', 'web'));
  expect(world.writes).toHaveLength(3);
});

test('contract 22: routes with other labels get no status, and a route that is relabelled loses ours', async () => {
  const labelled = (name: string, app: string) => {
    const object = bareRoute('shop', name);
    return { ...object, metadata: { ...object.metadata, labels: { app } } };
  };
  world.store.set(labelled('a', 'mine'));
  world.store.set(labelled('b', 'mine'));
  world.store.set(labelled('c', 'other'));
  world.start({ ROUTE_LABELS: 'app=mine' });
  await waitFor('the statuses', () => world.isAdmitted('shop', 'a') && world.isAdmitted('shop', 'b'));
  const moved = world.store.get('Route', 'a', 'shop');
  if (moved === undefined) throw new Error('no route');
  world.store.set({ ...moved, metadata: { ...moved.metadata, labels: { app: 'other' } } });
  world.store.delete('Route', 'b', 'shop');
  // Only the next decisions show that a route has left.
  let next = 0;
  await waitFor('the removal', () => {
    world.store.set(labelled(`next-${next++}`, 'mine'));
    return world.entries('shop', 'a').length === 0;
  });
  expect(world.entries('shop', 'c')).toEqual([]);
});

const plainAnswer = (code: number): Answer => ({ code, body: status(code, 'Fault', `fault ${code}`) });

test('a write that fails is retried, and others are written meanwhile', async () => {
  const codes = [409, 410, 422, 403, 500, 429];
  const refused = new Map<string, number>();
  world.answerWith((method, path) => {
    const code = codes.find((_, index) => path.includes(`/shop-${index}/`));
    const times = refused.get(path) ?? 0;
    if (method !== 'PATCH' || code === undefined || times === 2) return undefined;
    refused.set(path, times + 1);
    return plainAnswer(code);
  });
  world.create(codes.length + 1);
  world.start();
  await waitFor('the statuses', () => world.allAdmitted(codes.length + 1));
  expect(world.writes).toHaveLength(3 * codes.length + 1);
});

test('ROUTER_UPDATE_STATUS=false writes nothing and requests no lease', async () => {
  world.create(1);
  world.start({ ROUTER_UPDATE_STATUS: 'false' });
  await waitFor('the watch', () => world.server.served().watches === 1);
  expect(world.server.requests.filter((path) => !path.includes('/routes?'))).toEqual([]);
});

test('a replica that loses the Lease between two tries of a write leaves the Route to the new holder', async () => {
  let afterLoss = 0;
  world.answerWith((method, path) => {
    if (method !== 'PATCH' || !path.endsWith('/status')) return undefined;
    if (replica.events.some(({ event }) => event === 'lease-lost')) afterLoss += 1;
    const lease = world.store.get('Lease', 'hawser-router-public', 'default');
    const spec = { ...(lease?.['spec'] as object), holderIdentity: 'heir' };
    if (lease !== undefined) world.store.set({ ...lease, spec });
    return plainAnswer(409);
  });
  const lease = { durationMs: 60_000, renewDeadlineMs: 30_000, retryMs: 5 };
  const replica = world.start({}, { ...patient, lease });
  world.create(1);
  await waitFor('the loss', () => replica.events.some(({ event }) => event === 'lease-lost'));
  const { requests } = world.server.served();
  await waitFor('many tries for the lease', () => world.server.served().requests > requests + 60);
  // One may have been in flight.
  expect(afterLoss).toBeLessThanOrEqual(1);
});
