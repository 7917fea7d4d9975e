import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Rendered } from '../../../../src/engine/config/set.ts';
import { compareSets } from '../../../../src/router/serve/set-difference.ts';

function set(
  backends: Readonly<Record<string, readonly number[]>>,
  weight = 1,
  balance = 'random',
): Rendered {
  const texts = Object.entries(backends).map(([namespace, hosts]) => {
    const servers = hosts.map((host) => `  server pod-${host} 10.0.0.${host}:8080 weight ${weight}\n`);
    return `\nbackend be_http:${namespace}:web\n  balance ${balance}\n${servers.join('')}`;
  });
  return { text: ['global', ...texts].join(''), mode: 0o644 };
}

const serversOf = ({ text }: Rendered, namespace: string): readonly string[] => {
  const backend = text.split('\nbackend ').find((each) => each.startsWith(`be_http:${namespace}:`)) ?? '';
  return [...backend.matchAll(/server (\S+)/g)].map(([, name = '']) => name);
};

test('a tenant whose servers all change does not delay the one changed server of another', () => {
  const plan = compareSets({ lookup: 'hash' }, 4)(
    set({ evil: [1, 2, 3, 4], shop: [1] }),
    set({ evil: [5, 6, 7, 8], shop: [2] }),
  );
  expect(serversOf(plan.running, 'shop')).toEqual(['pod-2']);
  expect(serversOf(plan.running, 'evil')).toEqual(['pod-1', 'pod-2', 'pod-3', 'pod-4', 'pod-5', 'pod-6']);
  expect(plan.changes).toHaveLength(4);
});

test('the namespaces with the most changes wait for a reload, and the others do not', () => {
  const compare = compareSets({ lookup: 'hash' }, 4, 5);
  const running = set({ evil: [1, 2, 3], shop: [1], blog: [1] });
  const wanted = set({ evil: [4, 5, 6], shop: [2], blog: [2] });
  const plan = compare(running, wanted);
  expect(plan.reload).toMatchObject([{ what: 'server-changed' }]);
  expect([plan.running, running].map((each) => serversOf(each, 'evil'))).toEqual([
    ['pod-1', 'pod-2', 'pod-3'],
    ['pod-1', 'pod-2', 'pod-3'],
  ]);
  expect(['shop', 'blog'].map((namespace) => serversOf(plan.running, namespace))).toEqual([
    ['pod-2'],
    ['pod-2'],
  ]);
  expect(compare(plan.running, wanted)).toMatchObject({ changes: [], reload: [{ what: 'server-changed' }] });
});

test('a namespace that waits does so until its reload, however few changes the others have left', () => {
  const compare = compareSets({ lookup: 'hash' }, 2, 4);
  let running = set({ one: [1, 2], two: [1, 2] });
  const wanted = set({ one: [3, 4], two: [3, 4] });
  for (let steps = 0; steps < 3; steps += 1) running = compare(running, wanted).running;
  const moved = ['one', 'two'].map((namespace) => serversOf(running, namespace).includes('pod-3'));
  expect(moved.toSorted()).toEqual([false, true]);
  expect(compare(running, wanted)).toMatchObject({ changes: [], reload: [{ what: 'server-changed' }] });
  expect(compare(wanted, wanted).reload).toEqual([]);
  expect(compare(wanted, set({ one: [3, 5], two: [3, 4] })).reload).toEqual([]);
});

test('a plan with few server changes is not split', () => {
  const wanted = set({ a: [4] });
  expect(compareSets({ lookup: 'hash' }, 4)(set({ a: [1, 2, 3] }), wanted).running).toBe(wanted);
});

test('the steps reach the desired servers, and never empty a backend that keeps some', () => {
  const hosts = fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { minLength: 1 });
  const world = fc.record({
    one: hosts,
    two: hosts,
    one2: hosts,
    two2: hosts,
    weight: fc.constantFrom(1, 2),
  });
  fc.assert(
    fc.property(world, fc.integer({ min: 1, max: 3 }), ({ one, two, one2, two2, weight }, most) => {
      let running = set({ a: one, b: two });
      const wanted = set({ a: one2, b: two2 }, weight);
      const compare = compareSets({ lookup: 'hash' }, most);
      for (let steps = 0; steps <= 36; steps += 1) {
        const plan = compare(running, wanted);
        expect(plan.reload).toEqual([]);
        for (const namespace of ['a', 'b']) expect(serversOf(plan.running, namespace)).not.toEqual([]);
        running = plan.running;
        if (running === wanted) return;
      }
      expect.unreachable();
    }),
  );
});

test('a backend that needs a reload does not stop the steps of another', () => {
  const compare = compareSets({ lookup: 'hash' }, 2);
  const wanted: Rendered = {
    ...set({ a: [4, 5, 6] }),
    text: set({ a: [4, 5, 6] }).text + set({ b: [1] }).text.slice('global'.length),
  };
  let running = set({ a: [1, 2, 3] });
  for (let steps = 0; steps < 4; steps += 1) {
    const plan = compare(running, wanted);
    expect(plan.reload).toMatchObject([{ what: 'section-added' }]);
    running = plan.running;
  }
  expect(serversOf(running, 'a').toSorted()).toEqual(['pod-4', 'pod-5', 'pod-6']);
  expect(serversOf(running, 'b')).toEqual([]);
});
