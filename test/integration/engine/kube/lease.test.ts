import { once } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ApiFailure, ApiTarget } from '../../../../src/engine/kube/api-request.ts';
import type { ApiSession } from '../../../../src/engine/kube/api-session.ts';
import {
  contendForLease,
  defaultLeaseTiming,
  type Lease,
  type LeaseTiming,
} from '../../../../src/engine/kube/lease.ts';
import type { ApiServer } from '../../../helpers/api-server/api-server.ts';
import {
  createTestCluster,
  openTestSession,
  type TestCluster,
} from '../../../helpers/api-server/observing.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

/** So long that a busy machine loses no lease, and that none expires in a test. */
const patient: LeaseTiming = { durationMs: 120_000, renewDeadlineMs: 60_000, retryMs: 50 };

let cluster: TestCluster;
let session: ReturnType<typeof openTestSession>;
let server: ApiServer;
let asked: string[];
let contenders: { readonly lease: Lease; readonly leave: () => Promise<void> }[];

beforeEach(async () => {
  cluster = createTestCluster();
  asked = [];
  server = await cluster.start({
    instead: (method) => {
      asked.push(method);
      return undefined;
    },
  });
  cluster.writeKubeconfig(server.url);
  session = openTestSession(cluster);
  contenders = [];
});

afterEach(async () => {
  await Promise.all(contenders.map(({ leave }) => leave()));
  session.close();
  await cluster.remove();
});

function contend(
  identity: string,
  timing = patient,
  through: Pick<ApiSession, 'firstAnswer'> = session,
  clock?: ReturnType<typeof createClock>,
) {
  const stop = new AbortController();
  const events: string[] = [];
  let changes = 0;
  const lease = contendForLease(
    {
      session: through,
      namespace: 'hawser',
      name: 'router',
      identity,
      timing,
      ...(clock && { clock }),
      report: ({ event }) => events.push(event),
      onChange: () => {
        changes += 1;
      },
    },
    stop.signal,
  );
  const leave = async () => {
    stop.abort();
    await lease.ended;
  };
  contenders.push({ lease, leave });
  return { lease, leave, events, changes: () => changes };
}

/** Time stands still while contenders work, and jumps to the end of the shortest sleep once all `sleepers` sleep. */
function createClock(sleepers: number) {
  let nowMs = 0;
  const asleep = new Set<{ readonly untilMs: number; readonly wake: () => void }>();
  return {
    nowMs: () => nowMs,
    sleep: (ms: number, signal: AbortSignal): Promise<void> =>
      new Promise((wake) => {
        asleep.add({ untilMs: nowMs + ms, wake });
        signal.addEventListener('abort', () => wake());
        if (signal.aborted) wake();
      }),
    /** Lets time pass until `untilMs`. */
    passUntil: async (untilMs: number): Promise<void> => {
      for (;;) {
        await waitFor('all contenders to sleep', () => asleep.size === sleepers);
        const [next] = [...asleep].toSorted((a, b) => a.untilMs - b.untilMs);
        if (next === undefined || next.untilMs > untilMs) break;
        asleep.delete(next);
        nowMs = next.untilMs;
        next.wake();
      }
      nowMs = untilMs;
    },
  };
}

const spec = () => cluster.store.get('Lease', 'router', 'hawser')?.['spec'] as Record<string, unknown>;
const holds = async (who: { readonly lease: Lease }) => await waitFor('the lease', () => who.lease.isHeld());

test('the first takes the lease and renews it, the second waits until it is given back', async () => {
  const first = contend('first');
  await holds(first);
  const second = contend('second');
  const { acquireTime, renewTime } = spec();
  await waitFor('a renewal', () => spec()['renewTime'] !== renewTime);
  expect(spec()).toMatchObject({ holderIdentity: 'first', leaseTransitions: 0, acquireTime });
  expect(spec()['renewTime']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  expect(second.lease.isHeld()).toBe(false);
  await first.leave();
  expect(first.lease.isHeld()).toBe(false);
  await holds(second);
  expect(spec()).toMatchObject({ holderIdentity: 'second', leaseTransitions: 1, leaseDurationSeconds: 120 });
  expect([first.events, first.changes(), second.changes()]).toEqual([['lease-taken'], 1, 1]);
});

test('a lease whose holder is gone is taken over once it was seen unchanged for its duration, whatever its times say', async () => {
  const longAgo = '2020-01-01T00:00:00.000000Z';
  cluster.store.set({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'router', namespace: 'hawser' },
    spec: {
      holderIdentity: 'gone',
      leaseDurationSeconds: 1,
      leaseTransitions: 7,
      acquireTime: longAgo,
      renewTime: longAgo,
    },
  });
  const beganAtMs = performance.now();
  const heir = contend('heir');
  await holds(heir);
  expect(performance.now() - beganAtMs).toBeGreaterThanOrEqual(1_000);
  expect(spec()).toMatchObject({ holderIdentity: 'heir', leaseTransitions: 8 });
});

test('a holder that cannot renew stops before another one may take over, and says so', async () => {
  const holder = contend('holder', { durationMs: 2_000, renewDeadlineMs: 1_000, retryMs: 50 });
  await holds(holder);
  const asked = server.served().requests;
  await server.setFaults({ stall: true });
  await waitFor('the end', () => !holder.lease.isHeld());
  expect(server.served().requests).toBeGreaterThan(asked);
  await waitFor('the report', () => holder.events.includes('lease-lost'));
  await server.setFaults({ stall: false });
  await holds(holder);
  const told = ['lease-taken', 'lease-unavailable', 'lease-lost', 'lease-recovered'];
  expect(new Set(holder.events)).toEqual(new Set(told));
  expect(spec()).toMatchObject({ holderIdentity: 'holder', leaseTransitions: 0 });
});

test('of two that want a lease at once one gets it, and the other gets a conflict', async () => {
  const both = [contend('left'), contend('right')];
  await waitFor('a holder', () => both.some(({ lease }) => lease.isHeld()));
  for (let round = 0; round < 20; round += 1) {
    const { requests } = server.served();
    await waitFor('more tries', () => server.served().requests > requests + 4);
    expect(both.filter(({ lease }) => lease.isHeld()).length).toBeLessThanOrEqual(1);
  }
  expect(both.flatMap(({ events }) => events)).toEqual(['lease-taken']);
});

test('a lease that another process has taken by force is let go', async () => {
  const holder = contend('holder');
  await holds(holder);
  const lease = cluster.store.get('Lease', 'router', 'hawser');
  if (lease === undefined) throw new Error('no lease');
  const renewTime = new Date().toISOString();
  cluster.store.set({ ...lease, spec: { ...spec(), holderIdentity: 'thief', renewTime } });
  await waitFor('the end', () => !holder.lease.isHeld());
  expect(holder.events).toEqual(['lease-taken', 'lease-lost']);
});

test('a hung renewal loses the lease in time, and nothing is released to a hung API', async () => {
  let isHung = false;
  const whileHung = {
    firstAnswer: async <T extends { readonly kind: string }>(
      ask: (target: ApiTarget) => Promise<T | ApiFailure>,
      signal: AbortSignal,
    ) => {
      if (isHung) await once(signal, 'abort');
      return await session.firstAnswer(ask, signal);
    },
  } satisfies Pick<ApiSession, 'firstAnswer'>;
  const holder = contend('holder', { durationMs: 2_000, renewDeadlineMs: 1_000, retryMs: 50 }, whileHung);
  await holds(holder);
  isHung = true;
  const before = holder.changes();
  await waitFor('the loss', () => !holder.lease.isHeld() && holder.changes() > before);
  isHung = false;
  await holds(holder);
  isHung = true;
  await holder.leave();
});

test('a holder whose timer fires early still learns of its loss', async () => {
  const begin = globalThis.setTimeout;
  const early = (run: () => void, ms = 0) => begin(run, Math.max(0, ms - 5));
  using _ = vi.spyOn(globalThis, 'setTimeout').mockImplementation(early as typeof setTimeout);
  const holder = contend('holder', { durationMs: 2_000, renewDeadlineMs: 1_000, retryMs: 50 });
  await holds(holder);
  await server.setFaults({ stall: true });
  await waitFor('the loss to be reported', () => holder.events.includes('lease-lost'));
});

test('a lease that was taken by a write whose answer came too late is given back', async () => {
  let asked = 0;
  const cut = {
    firstAnswer: async <T extends { readonly kind: string }>(
      ask: (target: ApiTarget) => Promise<T | ApiFailure>,
      signal: AbortSignal,
    ) => {
      const answer = await session.firstAnswer(ask, signal);
      asked += 1;
      if (asked !== 2) return answer;
      void contender.leave();
      return { kind: 'failure', status: undefined, message: 'aborted' } as const;
    },
  } satisfies Pick<ApiSession, 'firstAnswer'>;
  const contender = contend('cut', patient, cut);
  await waitFor('the write', () => asked >= 2);
  await contender.leave();
  expect(spec()).toMatchObject({ holderIdentity: '', leaseTransitions: 0 });
});

test('two replicas make one write and one read every 2 s, as with client-go', async () => {
  const clock = createClock(2);
  const holder = contend('holder', defaultLeaseTiming, session, clock);
  await holds(holder);
  const follower = contend('follower', defaultLeaseTiming, session, clock);
  await clock.passUntil(1_999);
  asked = [];
  await clock.passUntil(101_999);
  const count = (method: string): number => asked.filter((each) => each === method).length;
  expect(count('PATCH')).toBe(50);
  expect(count('GET')).toBeGreaterThanOrEqual(41);
  expect(count('GET')).toBeLessThanOrEqual(50);
  expect(asked).toHaveLength(count('PATCH') + count('GET'));
  expect([holder.lease.isHeld(), follower.lease.isHeld()]).toEqual([true, false]);
});

test('a holder whose lease another writer has changed reads it, and renews it in the same turn', async () => {
  const clock = createClock(1);
  const holder = contend('holder', defaultLeaseTiming, session, clock);
  await holds(holder);
  await clock.passUntil(1_999);
  const lease = cluster.store.get('Lease', 'router', 'hawser');
  if (lease === undefined) throw new Error('no lease');
  cluster.store.set({ ...lease, metadata: { ...lease.metadata, labels: { touched: 'yes' } } });
  asked = [];
  await clock.passUntil(2_001);
  expect(asked).toEqual(['PATCH', 'GET', 'PATCH']);
  expect(holder.lease.isHeld()).toBe(true);
  expect(holder.events).toEqual(['lease-taken']);
});

test('a lease whose holder died is taken over within 20 s', async () => {
  const clock = createClock(1);
  const renewTime = new Date().toISOString();
  cluster.store.set({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'router', namespace: 'hawser' },
    spec: { holderIdentity: 'dead', leaseDurationSeconds: 15, renewTime },
  });
  const heir = contend('heir', defaultLeaseTiming, session, clock);
  await clock.passUntil(14_900);
  expect(heir.lease.isHeld()).toBe(false);
  await clock.passUntil(20_000);
  expect(heir.lease.isHeld()).toBe(true);
});
