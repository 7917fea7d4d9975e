import { expect, test } from 'vitest';
import { createIsolation } from '../../../../src/router/live/isolation.ts';
import type { RouteBackend } from '../../../../src/router/model.ts';
import { decided, routeObject } from '../objects-of.ts';

const refused = {
  kind: 'rejected',
  by: 'check',
  message: 'no',
  detail: '[ALERT] (1) : out of memory',
} as const;
const named = (...names: readonly string[]) =>
  decided(names.map((name, age) => routeObject({ name, host: `${name}.test`, age })));

/** HAProxy refuses routes whose names begin with `bad`, and names none. */
function isolated(isBad = (key: string) => key.startsWith('shop:bad')) {
  const stop = new AbortController();
  const counts = { checks: 0 };
  let rendered: readonly RouteBackend[] = [];
  const isolation = createIsolation(
    {
      render: (backends) => {
        rendered = backends;
        return { text: '', mode: 0o600, others: [] };
      },
      check: async () => {
        counts.checks += 1;
        return rendered.some(({ key }) => isBad(key))
          ? { kind: 'invalid', message: '', detail: refused.detail }
          : { kind: 'valid' };
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

test('no route is left out where HAProxy takes all of them the next time', async () => {
  const { isolation, left } = isolated(() => false);
  const decision = named('a', 'b', 'c');
  isolation.taken(named('a', 'b'));
  expect(await isolation.leaveOut(refused, { decision, text: '' })).toBe(false);
  expect(left(decision)).toEqual([]);
});

test('thirty that HAProxy refuses without a name cost the others ten checks, and are tried beside what is served', async () => {
  const { isolation, counts, left, stop } = isolated();
  const bad = Array.from({ length: 30 }, (_, index) => `bad${index}`);
  const decision = named('a', 'b', ...bad, 'new');
  isolation.taken(named('a', 'b'));
  expect(await isolation.leaveOut(refused, { decision, text: '' })).toBe(true);
  expect(counts.checks).toBeLessThanOrEqual(10);
  expect(left(decision)).not.toContain('shop:a');
  expect(left(decision)).toEqual(expect.arrayContaining(bad.map((name) => `shop:${name}`)));

  const trying = isolation.tryAgain(() => {
    if (!left(decision).includes('shop:new')) stop.abort();
  }, stop.signal);
  await trying;
  expect(left(decision)).toHaveLength(30);
});
