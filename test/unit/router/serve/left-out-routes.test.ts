import { expect, test } from 'vitest';
import type { ServableDecision } from '../../../../src/router/decide/reject-routes.ts';
import { createIsolation } from '../../../../src/router/serve/isolation.ts';
import { decided, routeObject, sliceObject, verdicts } from '../objects-of.ts';

const named = (name: string) => routeObject({ name, host: `${name}.test` });
const [good, bad, other] = [named('good'), named('bad'), named('other')] as const;
const changed = routeObject({
  name: 'bad',
  host: 'bad.test',
  annotations: { 'haproxy.router.openshift.io/timeout': '3s' },
});
const pods = sliceObject('web', 1);

/** HAProxy accepted `good` and refuses `bad` with this error, optionally after as many errors as it prints. */
async function leftOut(words: string, objects = [good, bad], end = '') {
  const clock = { nowMs: 0 };
  let rendered: readonly string[] = [];
  let isRefusing = true;
  const detail = `[ALERT] (1) : config : backend 'be_http:shop:bad' : ${words}${end}`;
  const isolation = createIsolation(
    {
      template: () => 'text',
      validate: async (backends) => {
        rendered = backends.map(({ key }) => key);
        const isRefused = isRefusing && rendered.includes('shop:bad');
        return {
          outcome: isRefused ? { kind: 'invalid', message: '', detail } : { kind: 'valid' },
          text: '',
        };
      },
    },
    () => undefined,
    () => clock.nowMs,
    new AbortController().signal,
  );
  const decision = decided(objects);
  isolation.accepted(decided([good]));
  await isolation.leaveOut(
    { kind: 'rejected', by: 'check', message: '', detail },
    { decision, rendered: { text: '' } },
  );
  const servable = (...now: Parameters<typeof decided>[0]): ServableDecision =>
    isolation.servable(decided(now));
  /** The left-out routes that one background validation retries at this time. */
  const triedAt = async (nowMs: number, isRefused = true): Promise<readonly string[]> => {
    [clock.nowMs, rendered, isRefusing] = [nowMs, [], isRefused];
    const stop = new AbortController();
    const round = isolation.retryLeftOut(() => undefined, stop.signal);
    stop.abort();
    await round;
    return rendered.filter((key) => key !== 'shop:good');
  };
  return { servable, triedAt };
}

test("a refused route stays rejected with HAProxy's error until HAProxy accepts it", async () => {
  const { servable, triedAt } = await leftOut('unknown keyword');
  for (const object of [bad, changed]) {
    const { decision, leftOut: found } = servable(good, object, pods);
    expect(verdicts(decision)).toEqual(['shop:bad ConfigurationRefused', 'shop:good admitted']);
    expect(decision.model.backends.map(({ key }) => key)).toEqual(['shop:good']);
    expect(found.map(({ message }) => message)).toEqual([
      "HAProxy refuses a configuration with this route: backend 'be_http:shop:bad' : unknown keyword",
    ]);
  }
  expect(await triedAt(500, false)).toEqual(['shop:bad']);
  expect(verdicts(servable(good, changed).decision)).toEqual(['shop:bad admitted', 'shop:good admitted']);
});

test.each([
  ['an unchanged route', 'unknown keyword', [bad], 60_000],
  ['a route with new pods', 'unknown keyword', [bad, pods], 60_000],
  ['a route with new pods that had an error about a server', "'server pod:1' : no", [bad, pods], 500],
  ['a changed route', 'unknown keyword', [changed], 500],
])('%s is retried after its delay, not before: %s', async (_, words, now, ms) => {
  const { servable, triedAt } = await leftOut(words);
  servable(good, ...now);
  expect(await triedAt(ms - 1)).toEqual([]);
  expect(await triedAt(ms)).toEqual(['shop:bad']);
});

test('a route that is refused again is retried later', async () => {
  const { servable, triedAt } = await leftOut('unknown keyword');
  servable(good, changed);
  expect(await triedAt(500)).toEqual(['shop:bad']);
  servable(good, bad);
  expect(await triedAt(1_499)).toEqual([]);
  expect(await triedAt(1_500)).toEqual(['shop:bad']);
});

test('a route that is only suspected is retried at once', async () => {
  const { triedAt } = await leftOut('no', [good, bad, other], '\n[ALERT] (1) : too many fatal errors');
  expect(await triedAt(0)).toEqual(['shop:other']);
});

test('a refused route that was deleted and recreated is tried again', async () => {
  const { servable } = await leftOut('no');
  servable(good);
  expect(servable(good, bad).leftOut).toEqual([]);
});
