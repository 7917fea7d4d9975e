import { afterEach, beforeEach, expect, test } from 'vitest';
import { status } from '../../../helpers/api-server/answers.ts';
import type { StoredObject } from '../../../helpers/api-server/object-store.ts';
import {
  bareIngress,
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

const ours = '192.0.2.1';
const served = { HAWSER_INGRESS_CLASS: 'hawser', HAWSER_PUBLISH_ADDRESS: ours };
const fromService = { HAWSER_INGRESS_CLASS: 'hawser', HAWSER_PUBLISH_SERVICE: 'edge/router' };

const isOurs = (name = 'web') => world.addresses('shop', name).includes(ours);
const stored = (name = 'web'): StoredObject => {
  const found = world.store.get('Ingress', name, 'shop');
  if (found === undefined) throw new Error(`no Ingress ${name}`);
  return found;
};
const service = (ip: string | undefined): StoredObject => ({
  kind: 'Service',
  apiVersion: 'v1',
  metadata: { name: 'router', namespace: 'edge' },
  status: { loadBalancer: ip === undefined ? {} : { ingress: [{ ip }] } },
});
/** Writes as another, named controller. */
const overwrite = (ip: string, name = 'web'): void => {
  const object = stored(name);
  world.store.set({
    ...object,
    metadata: { ...object.metadata, managedFields: [{ manager: 'nginx' }] },
    status: { loadBalancer: { ingress: [{ ip }] } },
  });
};

test('three replicas write each Ingress once, and those of other classes not at all', async () => {
  world.store.set(bareIngress('shop', 'web'));
  world.store.set(bareIngress('shop', 'other', 'nginx'));
  const all = [world.start(served), world.start(served), world.start(served)];
  await waitFor('the address', () => isOurs());
  const { requests } = world.server.served();
  await waitFor('more tries for the lease', () => world.server.served().requests > requests + 20);
  expect(world.writes).toHaveLength(1);
  expect(world.addresses('shop', 'other')).toEqual([]);
  expect(all.flatMap(({ events }) => events.map(({ event }) => event))).toEqual(['lease-acquired']);
});

test('an Ingress that gets another class or loses its host loses our address, and gets it back', async () => {
  world.store.set(bareIngress('shop', 'web'));
  world.start(served);
  await waitFor('the address', () => isOurs());
  world.store.set({ ...stored(), spec: bareIngress('shop', 'web', 'nginx')['spec'] });
  await waitFor('its removal', () => !isOurs());
  world.store.set({ ...stored(), spec: bareIngress('shop', 'web')['spec'] });
  await waitFor('the address again', () => isOurs());
  world.store.set({ ...stored(), spec: { ingressClassName: 'hawser', defaultBackend: { service: {} } } });
  await waitFor('its removal', () => !isOurs());
  expect(world.writes).toHaveLength(4);
});

test('a restarted router recognizes what it wrote before and leaves what another controller wrote', async () => {
  world.store.set(bareIngress('shop', 'web'));
  world.store.set(bareIngress('shop', 'moved'));
  const first = world.start(served);
  await waitFor('the addresses', () => isOurs() && isOurs('moved'));
  await first.stop();
  for (const name of ['web', 'moved'])
    world.store.set({ ...stored(name), spec: bareIngress('shop', name, 'nginx')['spec'] });
  overwrite(ours, 'moved');
  world.start({ ...served, HAWSER_PUBLISH_ADDRESS: '192.0.2.9' });
  await waitFor('the removal', () => !isOurs());
  expect(world.addresses('shop', 'moved')).toEqual([ours]);
  expect(world.writes).toHaveLength(3);
});

test('the addresses follow the Service, and are kept while it has none', async () => {
  world.store.set(bareIngress('shop', 'web'));
  world.store.set(service(undefined));
  const replica = world.start(fromService);
  const told = (event: string) => replica.events.filter((each) => each.event === event).length;
  await waitFor('the warning', () => told('no-published-address') === 1);
  expect(world.addresses('shop', 'web')).toEqual([]);
  world.store.set(service(ours));
  await waitFor('the address', () => isOurs());
  world.store.set(service('192.0.2.7'));
  await waitFor('the other address', () => world.addresses('shop', 'web').includes('192.0.2.7'));
  world.store.delete('Service', 'router', 'edge');
  await waitFor('the second warning', () => told('no-published-address') === 2);
  world.store.set(bareIngress('shop', 'next'));
  world.store.set(bareRoute('shop', 'route'));
  await waitFor('another status', () => world.isAdmitted('shop', 'route'));
  expect(world.addresses('shop', 'web')).toEqual(['192.0.2.7']);
  expect(world.addresses('shop', 'next')).toEqual([]);
});

test('a controller that keeps overwriting our address wins after five times, until a resync', async () => {
  world.store.set(bareIngress('shop', 'web'));
  const replica = world.start(served);
  for (let times = 1; times <= 5; times += 1) {
    await waitFor('our address', () => isOurs());
    overwrite(`198.51.100.${times}`);
    await waitFor('the contention', () => replica.counts.contended === times);
  }
  expect(replica.events.at(-1)).toMatchObject({ event: 'status-contended', ingress: 'shop/web' });
  world.store.set(bareRoute('pay', 'route'));
  await waitFor('the status of another namespace', () => world.isAdmitted('pay', 'route'));
  expect([world.addresses('shop', 'web'), world.writes.length]).toEqual([['198.51.100.5'], 6]);
});

test('after a conflict the decision is repeated with the current Ingress', async () => {
  let times = 0;
  world.answerWith((method, path) => {
    if (method !== 'PATCH' || !path.includes('/ingresses/') || times === 2) return undefined;
    times += 1;
    return { code: 409, body: status(409, 'Conflict', 'the object has been modified') };
  });
  world.store.set(bareIngress('shop', 'web'));
  const replica = world.start(served);
  await waitFor('the address', () => isOurs());
  await waitFor('the count', () => replica.counts.written === 1);
  expect([world.writes.length, replica.counts.failed]).toEqual([3, 0]);
});

test('without the right to write Ingresses, one event says so, and the statuses of Routes are still written', async () => {
  world.answerWith((method, path) =>
    method === 'PATCH' && path.includes('/ingresses/')
      ? { code: 403, body: status(403, 'Forbidden', 'ingresses is forbidden') }
      : undefined,
  );
  for (let index = 0; index < 20; index += 1) world.store.set(bareIngress('shop', `web-${index}`));
  const replica = world.start(served);
  await waitFor('many tries', () => replica.counts.failed > 40);
  world.create(3);
  await waitFor('the statuses of Routes', () => world.allAdmitted(3));
  const unwritable = replica.events.filter(({ event }) => event === 'status-unwritable');
  expect(unwritable).toMatchObject([
    {
      error: expect.stringContaining('Cannot write the status of Ingress shop/web-'),
      remedy: expect.stringContaining('ingresses/status'),
    },
  ]);
});

test('2,000 Ingresses are each written once, at the rate limit shared by all statuses', async () => {
  for (let index = 0; index < 2_000; index += 1) world.store.set(bareIngress('shop', `web-${index}`));
  const startedAtMs = performance.now();
  world.start(served, { ...patient, writesPerSecond: 200 });
  const isEverySet = () => Array.from({ length: 2_000 }).every((_, index) => isOurs(`web-${index}`));
  await waitFor('all addresses', isEverySet, 90_000);
  const seconds = (performance.now() - startedAtMs) / 1_000;
  expect(world.writes).toHaveLength(2_000);
  // The burst is one second's worth.
  expect(2_000).toBeLessThanOrEqual(200 * (seconds + 1));
});
