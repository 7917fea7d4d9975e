import { afterEach, beforeEach, expect, test } from 'vitest';
import { findInstances } from '../../../../src/engine/examine/find-instances.ts';
import { serveEndpoint } from '../../../../src/engine/observe/http-endpoint.ts';
import { instanceIdentity } from '../../../../src/engine/observe/instance.ts';
import type { PageAddress } from '../../../../src/engine/system/network/ask-page.ts';
import { freePort } from '../../../helpers/free-port.ts';

let stop: AbortController;
beforeEach(() => {
  stop = new AbortController();
});
afterEach(() => stop.abort());

/** The page of a program, which says whose it is. */
async function serve(identity: object | undefined): Promise<PageAddress> {
  const page = { host: '127.0.0.1', port: await freePort() };
  const endpoint = { trouble: () => undefined, metrics: () => '', status: () => ({}), identity };
  await serveEndpoint(page, endpoint, stop.signal);
  return page;
}

const statistics = { host: '127.0.0.1', port: 3 };
const monitorOf = async (instance: string) =>
  await serve(instanceIdentity('haproxy-monitor', { instance }, { 'haproxy-statistics': statistics }));
const announced = (page: PageAddress, user: number | undefined = 0) => ({
  ...{ page, user, as: 'haproxy-monitor of instance b' },
});
const patient = { timeoutMs: 20_000 };
const text = ({ host, port }: PageAddress) => `${host}:${port}`;

test('an instance has the pages of its programs, and what they drive', async () => {
  const [page, supervisor] = [
    await monitorOf('b'),
    await serve(instanceIdentity('haproxy-supervisor', { instance: 'b' })),
  ];
  const pages = {
    'haproxy-monitor': page,
    'haproxy-supervisor': supervisor,
    'haproxy-statistics': statistics,
  };
  expect(await findInstances(patient, [announced(page), announced(supervisor)])).toEqual({
    instances: [{ name: 'b', pages }],
    leftOut: [],
  });
});

test('a page is what it says, and not what it was announced as', async () => {
  const page = await monitorOf('c');
  const { instances } = await findInstances(patient, [announced(page)]);
  expect(instances.map(({ name }) => name)).toEqual(['c']);
});

test('a page of a user who has no part in hawser is named and not asked', async () => {
  const [real, strange] = [await monitorOf('b'), await monitorOf('b')];
  const found = await findInstances(patient, [announced(strange, 4_711), announced(real)]);
  expect(found.instances.map(({ pages }) => pages['haproxy-monitor'])).toEqual([real]);
  expect(found.leftOut).toEqual([
    `the page ${text(strange)}, announced as haproxy-monitor of instance b, is left out: user 4711 listens there, expected root or user 65529`,
  ]);
});

test('two programs of one instance at different addresses are named, whichever is shown', async () => {
  const [first, second] = [await monitorOf('b'), await monitorOf('b')];
  const found = await findInstances(patient, [announced(first), announced(second)]);
  expect(found.instances.map(({ pages }) => pages['haproxy-monitor'])).toEqual([first]);
  expect(found.leftOut).toEqual([
    `instance b has more than one haproxy-monitor: that at ${text(first)} is shown, and not that at ${text(second)}`,
  ]);
});

test('a page that is dead, of another program, or without a name is left out with the reason', async () => {
  const [unnamed, dead] = [await serve(undefined), { host: '127.0.0.1', port: await freePort() }];
  const unheard = { ...announced(dead), user: undefined };
  const { instances, leftOut } = await findInstances(patient, [announced(dead), unheard, announced(unnamed)]);
  expect(instances).toEqual([]);
  expect(leftOut.map((line) => line.split('left out: ')[1])).toEqual([
    'nothing listens there',
    'nothing listens there',
    'it does not say that it is of an instance',
  ]);
});

test('an answer that is too long for a name is none', async () => {
  const page = await serve({ instance: 'b'.repeat(5_000), program: 'haproxy-monitor', others: {} });
  const { instances, leftOut } = await findInstances(patient, [announced(page)]);
  expect(instances).toEqual([]);
  expect(leftOut[0]).toMatch(/longer than 4096 bytes$/);
});

test('a user who announces hundreds hides nothing', async () => {
  const real = announced(await monitorOf('z'));
  const flood = Array.from({ length: 500 }, (_, index) =>
    announced({ host: '127.0.0.1', port: index + 1 }, 1_000),
  );
  const dead = announced({ host: '127.0.0.1', port: await freePort() });
  const { instances, leftOut } = await findInstances(patient, [...flood, real, dead]);
  expect(instances.map(({ name }) => name)).toEqual(['z']);
  expect(leftOut).toHaveLength(9);
  expect(leftOut[0]).toContain(text(dead.page));
  expect(leftOut.at(-1)).toBe('493 more announced pages are left out');
});
