import { once } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ApiFailure, ApiTarget } from '../../../../src/engine/kube/api-request.ts';
import type { ApiSession } from '../../../../src/engine/kube/api-session.ts';
import { contendForLease, type Lease } from '../../../../src/engine/kube/lease.ts';
import type { ApiServer } from '../../../helpers/api-server/api-server.ts';
import {
  createTestCluster,
  openTestSession,
  type TestCluster,
} from '../../../helpers/api-server/observing.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

const timing = { durationMs: 2_000, renewDeadlineMs: 1_000, retryMs: 50 };

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

function contend(through: Pick<ApiSession, 'firstAnswer'> = session) {
  const stop = new AbortController();
  const events: string[] = [];
  let changes = 0;
  const lease = contendForLease(
    {
      session: through,
      namespace: 'hawser',
      name: 'router',
      identity: 'holder',
      timing,
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

test('a holder that cannot renew stops before another can take over, and reports it', async () => {
  const holder = contend();
  await holds(holder);
  const asked = server.served().requests;
  await server.setFaults({ stall: true });
  await waitFor('the end', () => !holder.lease.isHeld());
  expect(server.served().requests).toBeGreaterThan(asked);
  await waitFor('the report', () => holder.events.includes('lease-lost'));
  await server.setFaults({ stall: false });
  await holds(holder);
  const told = ['lease-acquired', 'lease-unavailable', 'lease-lost', 'lease-recovered'];
  expect(new Set(holder.events)).toEqual(new Set(told));
  expect(spec()).toMatchObject({ holderIdentity: 'holder', leaseTransitions: 0 });
});

test('a hung renewal loses the lease in time, and leaving does not wait for a hung API', async () => {
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
  const holder = contend(whileHung);
  await holds(holder);
  isHung = true;
  const before = holder.changes();
  await waitFor('the loss', () => !holder.lease.isHeld() && holder.changes() > before);
  isHung = false;
  await holds(holder);
  isHung = true;
  await holder.leave();
});

test('a holder whose timer fires early still notices that it lost the lease', async () => {
  const begin = globalThis.setTimeout;
  const early = (run: () => void, ms = 0) => begin(run, Math.max(0, ms - 5));
  using _ = vi.spyOn(globalThis, 'setTimeout').mockImplementation(early as typeof setTimeout);
  const holder = contend();
  await holds(holder);
  await server.setFaults({ stall: true });
  await waitFor('the loss to be reported', () => holder.events.includes('lease-lost'));
});
