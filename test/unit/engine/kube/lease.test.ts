import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ApiFailure, ApiTarget } from '../../../../src/engine/kube/api-request.ts';
import type { ApiSession } from '../../../../src/engine/kube/api-session.ts';
import { contendForLease } from '../../../../src/engine/kube/lease.ts';
import {
  createTestCluster,
  openTestSession,
  type TestCluster,
} from '../../../helpers/api-server/observing.ts';

/** Ten times the defaults: requests have real time limits, which even a busy machine must meet. */
const timing = { durationMs: 150_000, renewDeadlineMs: 100_000, retryMs: 20_000 };

let cluster: TestCluster;
let session: ReturnType<typeof openTestSession>;
let asked: string[];
let leaving: (() => Promise<void>)[];
let nowMs: number;
let failure: unknown;
let asleep: Set<{ readonly untilMs: number; readonly wake: () => void }>;

beforeEach(async () => {
  cluster = createTestCluster();
  asked = [];
  leaving = [];
  nowMs = 0;
  failure = undefined;
  asleep = new Set();
  const instead = (method: string) => {
    asked.push(method);
    return undefined;
  };
  cluster.writeKubeconfig((await cluster.start({ instead })).url);
  session = openTestSession(cluster);
});

afterEach(async () => {
  await Promise.all(leaving.map((leave) => leave()));
  session.close();
  await cluster.remove();
});

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const sleeper = {
      untilMs: nowMs + ms,
      wake: () => {
        asleep.delete(sleeper);
        resolve();
      },
    };
    asleep.add(sleeper);
    signal.addEventListener('abort', sleeper.wake);
    if (signal.aborted) sleeper.wake();
  });

/** Time stands still while contenders work, and jumps to the end of the shortest sleep once all of them sleep. */
async function passUntil(untilMs: number): Promise<void> {
  for (;;) {
    while (asleep.size < leaving.length) {
      if (failure !== undefined) throw failure;
      await setImmediate();
    }
    const [next] = [...asleep].toSorted((a, b) => a.untilMs - b.untilMs);
    if (next === undefined || next.untilMs > untilMs) break;
    nowMs = next.untilMs;
    next.wake();
  }
  nowMs = untilMs;
}

function contend(identity: string, through: Pick<ApiSession, 'firstAnswer'> = session) {
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
      clock: { nowMs: () => nowMs, sleep },
      report: ({ event }) => events.push(event),
      onChange: () => {
        changes += 1;
      },
    },
    stop.signal,
  );
  lease.ended.catch((error: unknown) => {
    failure = error;
  });
  const leave = async () => {
    leaving = leaving.filter((each) => each !== leave);
    stop.abort();
    await lease.ended;
  };
  leaving.push(leave);
  return { isHeld: lease.isHeld, leave, events, changes: () => changes };
}

const stored = () => cluster.store.get('Lease', 'router', 'hawser');
const spec = () => stored()?.['spec'] as Record<string, unknown>;
const writeLease = (spec: object, metadata: object = {}) =>
  cluster.store.set({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'router', namespace: 'hawser', ...metadata },
    spec: { leaseDurationSeconds: 150, ...spec },
  });

test('the first contender takes the lease and renews it, the second waits until it is released', async () => {
  const first = contend('first');
  await passUntil(0);
  const second = contend('second');
  const { acquireTime } = spec();
  await passUntil(600_000);
  expect(spec()).toMatchObject({ holderIdentity: 'first', leaseTransitions: 0, acquireTime });
  expect(spec()['renewTime']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  expect([first.isHeld(), second.isHeld()]).toEqual([true, false]);
  await first.leave();
  expect(first.isHeld()).toBe(false);
  await passUntil(630_000);
  expect(second.isHeld()).toBe(true);
  expect(spec()).toMatchObject({ holderIdentity: 'second', leaseTransitions: 1, leaseDurationSeconds: 150 });
  expect([first.events, first.changes(), second.changes()]).toEqual([['lease-acquired'], 1, 1]);
});

test('of two that want a lease at the same time, one gets it and the other gets a conflict', async () => {
  const both = [contend('left'), contend('right')];
  for (let atMs = 0; atMs < 400_000; atMs += 20_000) {
    await passUntil(atMs);
    expect(both.filter(({ isHeld }) => isHeld())).toHaveLength(1);
  }
  expect(both.flatMap(({ events }) => events)).toEqual(['lease-acquired']);
});

test('a lease with the same identity, from before a restart, is taken at once', async () => {
  writeLease({ holderIdentity: 'same', leaseTransitions: 3 });
  const again = contend('same');
  await passUntil(0);
  expect(again.isHeld()).toBe(true);
  expect(spec()).toMatchObject({ holderIdentity: 'same', leaseTransitions: 3 });
});

test('the lease of a dead holder is taken over one retry after it expired, whatever its timestamps say', async () => {
  writeLease({ holderIdentity: 'dead', leaseTransitions: 7, renewTime: '2020-01-01T00:00:00.000000Z' });
  const heir = contend('heir');
  await passUntil(149_000);
  expect(heir.isHeld()).toBe(false);
  await passUntil(200_000);
  expect(heir.isHeld()).toBe(true);
  expect(spec()).toMatchObject({ holderIdentity: 'heir', leaseTransitions: 8 });
});

test('a lease that changes before it expires is not taken over', async () => {
  writeLease({ holderIdentity: 'other', renewTime: '1' });
  const heir = contend('heir');
  await passUntil(100_000);
  writeLease({ holderIdentity: 'other', renewTime: '2' });
  await passUntil(249_000);
  expect(heir.isHeld()).toBe(false);
  await passUntil(300_000);
  expect(heir.isHeld()).toBe(true);
});

test('a lease taken by another process by force is given up', async () => {
  const holder = contend('holder');
  await passUntil(0);
  writeLease({ holderIdentity: 'thief' });
  await passUntil(20_000);
  expect(holder.isHeld()).toBe(false);
  expect(holder.events).toEqual(['lease-acquired', 'lease-lost']);
});

test('a lease acquired by a write whose answer came too late is released', async () => {
  let count = 0;
  const cut = {
    firstAnswer: async <T extends { readonly kind: string }>(
      ask: (target: ApiTarget) => Promise<T | ApiFailure>,
      signal: AbortSignal,
    ) => {
      const answer = await session.firstAnswer(ask, signal);
      count += 1;
      if (count !== 2) return answer;
      gone = contender.leave();
      return { kind: 'failure', status: undefined, message: 'aborted' } as const;
    },
  } satisfies Pick<ApiSession, 'firstAnswer'>;
  let gone: Promise<void> | undefined;
  const contender = contend('cut', cut);
  await passUntil(0);
  await gone;
  expect(spec()).toMatchObject({ holderIdentity: '', leaseTransitions: 0 });
});

test('two replicas make one write and one read per retry interval, like client-go', async () => {
  const holder = contend('holder');
  await passUntil(0);
  const follower = contend('follower');
  await passUntil(19_999);
  asked = [];
  await passUntil(1_019_999);
  const count = (method: string): number => asked.filter((each) => each === method).length;
  expect(count('PATCH')).toBe(50);
  expect(count('GET')).toBeGreaterThanOrEqual(41);
  expect(count('GET')).toBeLessThanOrEqual(50);
  expect(asked).toHaveLength(count('PATCH') + count('GET'));
  expect([holder.isHeld(), follower.isHeld()]).toEqual([true, false]);
});

test('a holder whose lease was changed by another writer reads it and renews it in the same turn', async () => {
  const holder = contend('holder');
  await passUntil(19_999);
  writeLease(spec(), { labels: { touched: 'yes' } });
  asked = [];
  await passUntil(20_001);
  expect(asked).toEqual(['PATCH', 'GET', 'PATCH']);
  expect(holder.isHeld()).toBe(true);
  expect(holder.events).toEqual(['lease-acquired']);
});
