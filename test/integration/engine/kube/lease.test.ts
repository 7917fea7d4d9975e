import { once } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ApiFailure, ApiTarget } from '../../../../src/engine/kube/api-request.ts';
import type { ApiSession } from '../../../../src/engine/kube/api-session.ts';
import { contendForLease, type Lease, type LeaseTiming } from '../../../../src/engine/kube/lease.ts';
import type { ApiServer } from '../../../helpers/api-server/api-server.ts';
import { waitFor } from '../../../helpers/wait-for.ts';
import { createTestCluster, openTestSession, type TestCluster } from './observing.ts';

/** So long that a busy machine loses no lease, and that none expires in a test. */
const patient: LeaseTiming = { durationMs: 120_000, renewDeadlineMs: 60_000, retryMs: 50 };

let cluster: TestCluster;
let session: ReturnType<typeof openTestSession>;
let server: ApiServer;
let contenders: { readonly lease: Lease; readonly leave: () => Promise<void> }[];

beforeEach(async () => {
  cluster = createTestCluster();
  server = await cluster.start();
  cluster.writeKubeconfig(server.url);
  session = openTestSession(cluster);
  contenders = [];
});

afterEach(async () => {
  await Promise.all(contenders.map(({ leave }) => leave()));
  session.close();
  await cluster.remove();
});

function contend(identity: string, timing = patient, through: Pick<ApiSession, 'firstAnswer'> = session) {
  const stop = new AbortController();
  const events: string[] = [];
  let changes = 0;
  const lease = contendForLease(
    {
      ...{ session: through, namespace: 'hawser', name: 'router', identity, timing },
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
    ...{
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'router', namespace: 'hawser' },
    },
    spec: {
      ...{ holderIdentity: 'gone', leaseDurationSeconds: 1, leaseTransitions: 7 },
      ...{ acquireTime: longAgo, renewTime: longAgo },
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

test('of two that want a lease at once one gets it: the other one is told of the conflict', async () => {
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

test('a holder whose renewal hangs is told of its loss while it hangs, and gives nothing back to an API that hangs', async () => {
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

test('a holder whose timer comes early is told of its loss all the same', async () => {
  const begin = globalThis.setTimeout;
  const early = (run: () => void, ms = 0) => begin(run, Math.max(0, ms - 5));
  using _ = vi.spyOn(globalThis, 'setTimeout').mockImplementation(early as typeof setTimeout);
  const holder = contend('holder', { durationMs: 2_000, renewDeadlineMs: 1_000, retryMs: 50 });
  await holds(holder);
  await server.setFaults({ stall: true });
  await waitFor('the loss to be told', () => holder.events.includes('lease-lost'));
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
