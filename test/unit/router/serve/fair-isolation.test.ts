import { expect, test } from 'vitest';
import type { RouteBackend } from '../../../../src/router/model.ts';
import { createIsolation } from '../../../../src/router/serve/isolation.ts';
import { decided, routeObject } from '../objects-of.ts';

/** HAProxy stops after this many errors. */
const MOST_ERRORS = 50;

const routes = (namespace: string, names: readonly string[]) =>
  names.map((name, age) => routeObject({ name, namespace, host: `${name}.${namespace}.test`, age }));
const numbered = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name}${index}`);

/** HAProxy rejects routes whose hosts begin with `bad`, and names fifty of them, or none. */
function refusing({ isNamed }: { readonly isNamed: boolean }) {
  const stop = new AbortController();
  const counts = { checks: 0 };
  const clock = { ms: 0 };
  const logged: unknown[] = [];
  const isBad = ({ host }: RouteBackend) => host.startsWith('bad');
  const detailFor = (backends: readonly RouteBackend[]): string => {
    const bad = backends.filter(isBad);
    if (!isNamed) return '[ALERT] (1) : out of memory';
    const lines = bad
      .slice(0, MOST_ERRORS)
      .map(({ name }) => `[ALERT] (1) : config : backend '${name}' : no`);
    const end = '[ALERT] (1) : config : parsing [x:9]: too many fatal errors (50), stopping now.';
    return [...lines, ...(bad.length >= MOST_ERRORS ? [end] : [])].join('\n');
  };
  const isolation = createIsolation(
    {
      template: () => 'text',
      validate: async (backends) => {
        counts.checks += 1;
        const detail = detailFor(backends);
        const isRefused = backends.some(isBad);
        return {
          outcome: isRefused ? { kind: 'invalid', message: '', detail } : { kind: 'valid' },
          text: '',
        };
      },
    },
    (event) => void logged.push(event),
    () => clock.ms,
    stop.signal,
  );
  const left = (decision: ReturnType<typeof decided>) =>
    isolation.servable(decision).leftOut.map(({ key }) => key);
  /** Passes of the loop: each applies the remaining routes, until HAProxy accepts them. */
  const passes = async (decision: ReturnType<typeof decided>): Promise<number> => {
    for (let pass = 1; ; pass += 1) {
      const { decision: next } = isolation.servable(decision);
      counts.checks += 1;
      const { backends } = next.model;
      if (!backends.some(isBad)) {
        isolation.accepted(next);
        return pass;
      }
      const outcome = { kind: 'rejected', by: 'check', message: 'no', detail: detailFor(backends) } as const;
      await isolation.leaveOut(outcome, { decision: next, rendered: { text: '' } });
    }
  };
  return { isolation, counts, clock, left, passes, stop, logged };
}

test.each([
  ['names', 2, true],
  ['does not name', 12, false],
])(
  "if HAProxy %s 1,000 bad routes of one tenant, another tenant's route added with them waits for at most %i checks",
  async (_, most, isNamed) => {
    const { isolation, counts, left, passes } = refusing({ isNamed });
    isolation.accepted(decided(routes('pay', ['old'])));
    const decision = decided([
      ...routes('big', [...numbered('bad', 1_000), 'fine']),
      ...routes('pay', ['old', 'new']),
    ]);
    expect(await passes(decision)).toBe(2);
    expect(counts.checks).toBeLessThanOrEqual(most);
    expect(left(decision).filter((key) => key.startsWith('pay:'))).toEqual([]);
  },
);

test('at a cold start, a tenant with 1,000 bad routes delays others by two passes', async () => {
  const { left, passes } = refusing({ isNamed: true });
  const decision = decided([...routes('big', numbered('bad', 1_000)), ...routes('pay', numbered('web', 20))]);
  expect(await passes(decision)).toBe(2);
  expect(left(decision).filter((key) => key.startsWith('pay:'))).toEqual([]);
});

test('a fixed route is served after two checks, however many bad routes another tenant changes', async () => {
  const { isolation, counts, clock, left, passes, stop, logged } = refusing({ isNamed: true });
  const old = routes('pay', ['old']);
  isolation.accepted(decided(old));
  const at = (host: string, path: string) =>
    decided([
      ...old,
      routeObject({ name: 'late', namespace: 'pay', host }),
      ...numbered('bad', 1_000).map((name) =>
        routeObject({ name, namespace: 'big', host: `${name}.test`, spec: { path } }),
      ),
    ]);
  const wrong = at('bad-late.test', '/a');
  await passes(wrong);
  expect(left(wrong)).toContain('pay:late');
  const mended = at('late.test', '/b');
  expect(left(mended)).toHaveLength(1_001);

  clock.ms = 1_000_000;
  const before = counts.checks;
  await isolation.retryLeftOut(() => stop.abort(), stop.signal);
  expect([left(mended).includes('pay:late'), counts.checks - before]).toEqual([false, 2]);
  // Each route is reported once until its message changes.
  expect(logged.length).toBeLessThanOrEqual(1_001 + 2 * MOST_ERRORS);
});
