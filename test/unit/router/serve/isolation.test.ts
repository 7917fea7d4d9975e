import { expect, test } from 'vitest';
import { createIsolation } from '../../../../src/router/serve/isolation.ts';
import { decided, routeObject } from '../objects-of.ts';

const refused = {
  kind: 'rejected',
  by: 'check',
  message: 'no',
  detail: '[ALERT] (1) : out of memory',
} as const;
const named = (...names: readonly string[]) =>
  decided(names.map((name, age) => routeObject({ name, host: `${name}.test`, age })));

/** The 32 validations of a search, plus one of all routes, one of the base, and the one at which it stops. */
const MOST_CHECKS_AT_A_TIME = 35;

/** HAProxy refuses routes whose names begin with `bad`, and names none of them. */
function isolated(isBad = (key: string) => key.startsWith('shop:bad'), template = () => 'text') {
  const stop = new AbortController();
  const counts = { checks: 0 };
  const isolation = createIsolation(
    {
      template,
      validate: async (backends) => {
        counts.checks += 1;
        const isRefused = backends.some(({ key }) => isBad(key));
        const { detail } = refused;
        return {
          outcome: isRefused ? { kind: 'invalid', message: '', detail } : { kind: 'valid' },
          text: '',
        };
      },
    },
    () => undefined,
    () => 0,
    stop.signal,
  );
  const left = (decision: ReturnType<typeof decided>) =>
    isolation.servable(decision).leftOut.map(({ key }) => key);
  return { isolation, counts, left, stop };
}

test('no route is left out if HAProxy accepts all of them the next time', async () => {
  const { isolation, left } = isolated(() => false);
  const decision = named('a', 'b', 'c');
  isolation.accepted(named('a', 'b'));
  expect(await isolation.leaveOut(refused, { decision, rendered: { text: '' } })).toBe(false);
  expect(left(decision)).toEqual([]);
});

test('thirty refused routes that no error names cost ten validations', async () => {
  const { isolation, counts, left, stop } = isolated();
  const bad = Array.from({ length: 30 }, (_, index) => `bad${index}`);
  const decision = named('a', 'b', ...bad, 'new');
  isolation.accepted(named('a', 'b'));
  expect(await isolation.leaveOut(refused, { decision, rendered: { text: '' } })).toBe(true);
  expect(counts.checks).toBeLessThanOrEqual(10);
  expect(left(decision)).not.toContain('shop:a');
  expect(left(decision)).toEqual(expect.arrayContaining(bad.map((name) => `shop:${name}`)));

  const trying = isolation.retryLeftOut(() => {
    if (!left(decision).includes('shop:new')) stop.abort();
  }, stop.signal);
  await trying;
  expect(left(decision)).toHaveLength(30);
});

test('at a cold start, 200 of 1,000 refused routes that no error names cost a bounded search', async () => {
  const { isolation, counts, left, stop } = isolated();
  const names = Array.from({ length: 1_000 }, (_, index) => `${index % 5 === 3 ? 'bad' : 'good'}${index}`);
  const decision = named(...names);
  const served = () => isolation.servable(decision).decision;
  expect(await isolation.leaveOut(refused, { decision, rendered: { text: '' } })).toBe(true);
  expect(counts.checks).toBeLessThanOrEqual(MOST_CHECKS_AT_A_TIME);
  const first = served().model.backends.map(({ key }) => key);
  expect(first).toContain('shop:good0');
  expect(first.filter((key) => key.startsWith('shop:bad'))).toEqual([]);
  isolation.accepted(served());

  const checksBefore = counts.checks;
  await isolation.retryLeftOut(() => {
    isolation.accepted(served());
    if (served().model.backends.length > first.length + 20) stop.abort();
  }, stop.signal);
  const later = served().model.backends.map(({ key }) => key);
  expect(later.filter((key) => key.startsWith('shop:bad'))).toEqual([]);
  expect(counts.checks - checksBefore).toBeLessThanOrEqual(3 * MOST_CHECKS_AT_A_TIME);
  expect(left(decision)).toHaveLength(1_000 - later.length);
});

test('successive rounds find all routes that HAProxy accepts', async () => {
  const { isolation, stop } = isolated();
  const decision = named(
    ...Array.from({ length: 40 }, (_, index) => `${index % 5 === 3 ? 'bad' : 'good'}${index}`),
  );
  const served = () => isolation.servable(decision).decision;
  await isolation.leaveOut(refused, { decision, rendered: { text: '' } });
  isolation.accepted(served());
  await isolation.retryLeftOut(() => {
    isolation.accepted(served());
    if (served().model.backends.length === 32) stop.abort();
  }, stop.signal);
  expect(served().model.backends).toHaveLength(32);
});

test('a template that HAProxy refuses with served routes leaves out no route', async () => {
  let template = 'good';
  const { isolation, left, stop } = isolated(
    () => template === 'bad',
    () => template,
  );
  const decision = named('a', 'b', 'new');
  isolation.accepted(named('a', 'b'));
  template = 'bad';
  const detail = '[ALERT] (1) : config : parsing [x:2] : unknown keyword in "be_http:shop:a"';
  expect(await isolation.leaveOut({ ...refused, detail }, { decision, rendered: { text: '' } })).toBe(false);
  expect(left(decision)).toEqual([]);
  stop.abort();
});

test('routes left out with another template are retried at once if nothing is served', async () => {
  let template = 'bad';
  const { isolation, left, stop } = isolated(
    () => template === 'bad',
    () => template,
  );
  const decision = named('a', 'b');
  const detail = '[ALERT] (1) : config : parsing [x:2] : unknown keyword in "be_http:shop:a"';
  expect(await isolation.leaveOut({ ...refused, detail }, { decision, rendered: { text: '' } })).toBe(true);
  expect(left(decision)).toEqual(['shop:a']);
  template = 'good';
  await isolation.retryLeftOut(() => stop.abort(), stop.signal);
  expect(left(decision)).toEqual([]);
});

test('no route is blamed without a verdict, and the router continues', async () => {
  const isolation = createIsolation(
    {
      template: () => 'text',
      validate: async () => ({ outcome: { kind: 'impossible', message: 'no room' }, text: '' }),
    },
    () => undefined,
    () => 0,
    new AbortController().signal,
  );
  const decision = named('a', 'bad');
  expect(await isolation.leaveOut(refused, { decision, rendered: { text: '' } })).toBe(false);
  expect(isolation.servable(decision).leftOut).toEqual([]);
});
