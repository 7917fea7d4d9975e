import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AccessAnswer } from '../../../../src/engine/kube/access-review.ts';
import { readObjectList } from '../../../../src/router/follow/read-object-list.ts';
import type { Route } from '../../../../src/router/follow/route.ts';
import { createSecretReviews } from '../../../../src/router/follow/secret-reviews.ts';
import { routeObject } from '../objects-of.ts';

const failure: AccessAnswer = { kind: 'failure', status: undefined, message: 'no answer' };

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function world() {
  let isAway = false;
  const granted = new Set<string>();
  const asked: string[] = [];
  const reported: (string | undefined)[] = [];
  let heard = 0;
  const reviews = createSecretReviews({
    ask: async ({ namespace, name }) => {
      asked.push(`${namespace}/${name}`);
      if (isAway) return failure;
      return { kind: granted.has(`${namespace}/${name}`) ? 'allowed' : 'denied' };
    },
    askUser: async () => 'me',
    onChange: () => {
      heard += 1;
    },
    report: (problem) => reported.push(problem?.message),
    nowMs: Date.now,
    signal: new AbortController().signal,
  });
  return {
    granted,
    asked,
    reported,
    review: reviews.review,
    heard: () => heard,
    away: (is: boolean) => {
      isAway = is;
    },
    after: async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms);
      await reviews.settled();
    },
    settled: reviews.settled,
  };
}

const plain = routesOf({ name: 'plain' });
const named = (name: string, secret: string, more: object = {}): readonly Route[] =>
  routesOf({ name, ...more, spec: { tls: { termination: 'edge', externalCertificate: { name: secret } } } });

function routesOf(text: Parameters<typeof routeObject>[0]): readonly Route[] {
  return readObjectList(JSON.stringify([routeObject(text)])).objects.routes;
}

test('nothing is decided until the Secrets of the first Routes have been reviewed', async () => {
  const { review, granted, settled, heard } = world();
  granted.add('shop/cert');
  const routes = [...plain, ...named('web', 'cert')];
  expect(review(routes)).toBeUndefined();
  await settled();
  expect(heard()).toBe(1);
  expect(review(routes)).toEqual({
    routes,
    secretReviews: [{ namespace: 'shop', name: 'cert', verdict: 'allowed' }],
  });
});

test('the first answers are reported together', async () => {
  const { review, settled, heard } = world();
  const routes = Array.from({ length: 20 }, (_, index) => named(`r${index}`, `s${index}`)).flat();
  review(routes);
  while (heard() === 0) await settled();
  expect(review(routes)?.secretReviews).toHaveLength(20);
  expect(heard()).toBe(1);
});

test('a new Route waits for its review, and a changed one keeps its previous version meanwhile', async () => {
  const { review, granted, settled } = world();
  granted.add('shop/old').add('shop/new');
  const before = named('web', 'old');
  review(before);
  await settled();
  review(before);
  const after = [...named('web', 'new'), ...named('late', 'new'), ...plain];
  const meanwhile = review(after);
  expect(meanwhile?.routes).toEqual([...before, ...plain]);
  expect(meanwhile?.secretReviews).toMatchObject([{ name: 'old', verdict: 'allowed' }]);
  await settled();
  expect(review(after)).toMatchObject({ routes: after, secretReviews: [{ name: 'new' }] });
});

test('a refused Secret stays refused while its Route waits for the review of another one', async () => {
  const { review, settled } = world();
  const before = named('web', 'secret');
  review(before);
  await settled();
  review(before);
  const meanwhile = review(named('web', 'other'));
  expect(meanwhile?.routes).toEqual(before);
  expect(meanwhile?.secretReviews).toMatchObject([{ name: 'secret', verdict: 'denied', user: 'me' }]);
});

test('a recreated Route inherits nothing from its predecessor', async () => {
  const { review, granted, settled } = world();
  granted.add('shop/old');
  const before = named('web', 'old');
  review(before);
  await settled();
  review(before);
  expect(review(named('web', 'new', { uid: 'second' }))?.routes).toEqual([]);
});

test('a new Role takes effect within seconds, and a removed one within a minute', async () => {
  const { review, granted, settled, after, heard } = world();
  const routes = named('web', 'cert');
  const verdict = () => review(routes)?.secretReviews[0]?.verdict;
  review(routes);
  await settled();
  expect(verdict()).toBe('denied');
  granted.add('shop/cert');
  await after(4_999);
  expect(verdict()).toBe('denied');
  await after(1);
  expect(verdict()).toBe('allowed');
  granted.delete('shop/cert');
  await after(59_999);
  expect(verdict()).toBe('allowed');
  await after(1);
  expect([verdict(), heard()]).toEqual(['denied', 3]);
});

test('the last answer applies while the API is unreachable', async () => {
  const { review, granted, settled, after, away, reported } = world();
  granted.add('shop/cert');
  const routes = named('web', 'cert');
  review(routes);
  await settled();
  const known = review(routes);
  away(true);
  await after(60_000);
  expect(review(routes)).toEqual(known);
  away(false);
  await after(60_000);
  expect(reported).toEqual([undefined, 'no answer', undefined]);
});

test('without an answer from the API, the other Routes are decided after ten seconds', async () => {
  const { review, settled, after, away, granted } = world();
  away(true);
  const routes = [...plain, ...named('web', 'cert')];
  expect(review(routes)).toBeUndefined();
  await settled();
  await after(9_000);
  expect(review(routes)).toBeUndefined();
  await after(1_000);
  expect(review(routes)).toMatchObject({ routes, secretReviews: [{ verdict: 'unknown' }] });
  away(false);
  granted.add('shop/cert');
  await after(5_000);
  expect(review(routes)).toMatchObject({ secretReviews: [{ verdict: 'allowed' }] });
});

test('Secrets that Routes name meanwhile do not extend the wait, and their Routes keep their hosts', async () => {
  const { review, settled, after, away } = world();
  away(true);
  review([...plain, ...named('web', 'cert')]);
  await settled();
  let routes: readonly Route[] = [];
  for (const name of ['s1', 's2', 's3', 's4']) {
    await after(2_500);
    routes = [...plain, ...named('web', 'cert'), ...named('busy', name)];
    if (name !== 's4') expect(review(routes)).toBeUndefined();
  }
  expect(review(routes)?.routes).toEqual(routes);
});

test('the first decision does not wait for the answer about a Secret of a later list', async () => {
  const { review, settled, after, away, heard, granted } = world();
  granted.add('shop/cert');
  review(named('web', 'cert'));
  away(true);
  review([...named('web', 'cert'), ...named('late', 'hangs')]);
  await settled();
  expect(heard()).toBe(0);
  await after(2_000);
  expect(heard()).toBeGreaterThan(0);
});

test('namespaces take turns, so that thousands of refusals do not delay a new Role elsewhere', async () => {
  const { review, settled, after, asked } = world();
  const many = Array.from({ length: 200 }, (_, index) => named(`r${index}`, `s${index}`)).flat();
  const routes = [...many, ...named('pay', 'cert', { namespace: 'pay' })];
  review(routes);
  await settled();
  while (review(routes) === undefined) await settled();
  const before = asked.length;
  await after(5_000);
  expect(asked.length - before).toBe(10);
  expect(asked.slice(before)).toContain('pay/cert');
});

test('a Secret that no Route uses is no longer reviewed', async () => {
  const { review, settled, after, asked } = world();
  review(named('web', 'cert'));
  await settled();
  review(named('web', 'cert'));
  expect(review(plain)).toMatchObject({ routes: plain });
  expect(review([...plain])?.secretReviews).toEqual([]);
  const before = asked.length;
  await after(60_000);
  expect(asked.length).toBe(before);
});
