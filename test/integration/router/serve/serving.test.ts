import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { StoredObject } from '../../../helpers/api-server/object-store.ts';
import { startLoad } from '../../../helpers/load/start-load.ts';
import { type LiveRouter, startLiveRouter } from '../../../helpers/router/live-router.ts';
import { plainRoute, slice } from '../../../helpers/router/route-objects.ts';

/** The observable contract of a running router, with the real HAProxy under its real supervisor. */
const WEB = 'lasting.test';
const web = [plainRoute('web', WEB), slice('web', [0])];
/** HAProxy rejects a line of the first route, and for the second a line that belongs to no route. */
const wrongTemplate = (shipped: string) =>
  shipped
    .replace(
      '  balance <%= backend.balance %>',
      "$&\n<%_ if (backend.name.endsWith(':refused')) { _%>\n  wrong words\n<%_ } _%>",
    )
    .replace(
      '# No route matches this request.',
      "<%_ if (backends.some((each) => each.name.endsWith(':hidden'))) { _%>\n  wrong words\n<%_ } _%>\n$&",
    );
let live: LiveRouter;
let objects: readonly StoredObject[] = web;

const set = (...next: readonly StoredObject[]) => {
  objects = next;
  live.set(objects);
};

beforeAll(async () => {
  live = await startLiveRouter({ objects, template: wrongTemplate });
  await live.answers(WEB, 'a');
});
afterAll(async () => {
  await live[Symbol.asyncDispose]();
});

test('6: no request is lost across reloads, and a long one continues', async () => {
  const load = await startLoad(live.cluster.namespace.prefix, {
    host: live.host,
    hostHeader: WEB,
    port: live.httpPort,
    ratePerSecond: 100,
    timeoutMs: 10_000,
    streams: 5,
    streamRampMs: 100,
    servers: ['a'],
    probe: null,
  });
  const before = await live.generation();
  for (const name of ['one', 'two', 'three']) {
    set(...web, plainRoute(name, `${name}.test`, { service: 'web' }));
    await live.answers(`${name}.test`, 'a');
  }
  const { ok, lost, streams } = await load.stop();
  expect(await live.generation()).toBeGreaterThanOrEqual(before + 3);
  expect([lost, streams.cut, streams.refused]).toEqual([{}, 0, 0]);
  expect(ok).toBeGreaterThan(100);
});

test('9: traffic follows the endpoints, and resending equal endpoints causes no reload', async () => {
  set(web[0] as StoredObject, slice('web', [1]));
  await live.answers(WEB, 'b');
  const before = await live.generation();
  const again = slice('web', [1]);
  set(web[0] as StoredObject, { ...again, metadata: { ...again.metadata, annotations: { sent: 'again' } } });
  set(web[0] as StoredObject, slice('web', [0, 1]));
  set(...objects, plainRoute('other', 'other.test', { service: 'web' }));
  await live.answers('other.test', 'a');
  expect((await live.generation()) - before).toBeLessThanOrEqual(2);
});

test('requests that a pod has begun to answer finish after it leaves the endpoints, even across reloads', async () => {
  const newest = plainRoute('newest', 'newest.test', { service: 'web' });
  set(...web, newest);
  await live.answers('newest.test', 'a');
  const load = await startLoad(live.cluster.namespace.prefix, {
    host: live.host,
    hostHeader: WEB,
    port: live.httpPort,
    ratePerSecond: 20,
    timeoutMs: 10_000,
    streams: 5,
    streamRampMs: 100,
    servers: ['a', 'b'],
    probe: null,
  });
  const before = await live.generation();
  set(web[0] as StoredObject, newest, slice('web', [1]));
  await live.answers(WEB, 'b');
  expect(await live.generation()).toBe(before);
  // Reloads are a second apart: the sessions of old generations are polled in between.
  for (const name of ['one', 'two', 'three']) {
    set(...objects, plainRoute(name, `${name}.test`, { service: 'web' }));
    await live.answers(`${name}.test`, 'b');
  }
  const { lost, streams } = await load.stop();
  expect(await live.generation()).toBeGreaterThanOrEqual(before + 3);
  expect([lost, streams.cut, streams.refused]).toEqual([{}, 0, 0]);
  set(...web);
  await live.answers(WEB, 'a');
});

test('11: a newer route of another namespace gets the host once the older one is gone', async () => {
  const newer = plainRoute('taken', 'web.test', { namespace: 'blog', createdAt: 9 });
  set(...web, newer, slice('taken', [1], 'blog'), plainRoute('first', 'web.test', { service: 'web' }));
  await live.answers('web.test', 'a');
  set(...web, newer, slice('taken', [1], 'blog'));
  await live.answers('web.test', 'b');
});

test("a route that HAProxy rejects is left out and reported with HAProxy's message, and the others are served", async () => {
  const wish = { service: 'web' };
  set(...web, plainRoute('refused', 'refused.test', wish), plainRoute('fine', 'fine.test', wish));
  await live.answers('fine.test', 'a');
  await live.answers('refused.test', '503');
  expect(live.events('route-left-out').at(-1)).toMatchObject({
    route: 'shop:refused',
    words: "unknown keyword 'wrong' in 'backend' section",
  });
});

test('a route whose error is not on a line of its own is found too', async () => {
  const wish = { service: 'web' };
  const others = ['c', 'd', 'e', 'f'].map((name) => plainRoute(name, `${name}.test`, wish));
  set(...web, plainRoute('hidden', 'hidden.test', wish), ...others);
  await live.answers('f.test', 'a');
  expect(live.events('route-left-out').at(-1)).toMatchObject({ route: 'shop:hidden' });
});

test('a failed write is retried without a new event', async () => {
  const files = `${live.config}.files`;
  renameSync(files, `${files}.aside`);
  writeFileSync(files, '');
  set(...web, plainRoute('late', 'late.test', { service: 'web' }));
  await live.says('configuration-not-applied');
  rmSync(files);
  renameSync(`${files}.aside`, files);
  await live.answers('late.test', 'a');
});

test('replacing an endpoint is a runtime update without a new generation', async () => {
  const route = plainRoute('swap', 'swap.test');
  live.set([route, slice('swap', [0])]);
  await live.answers('swap.test', 'a');
  const generation = await live.generation();
  const changes = live.events('configuration-changed').length;
  live.set([route, slice('swap', [1])]);
  await live.answers('swap.test', 'b');
  expect(await live.says('configuration-changed', changes + 1)).toMatchObject({
    commands: expect.any(Number),
  });
  expect(await live.generation()).toBe(generation);
});
