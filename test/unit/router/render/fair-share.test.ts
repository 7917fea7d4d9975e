import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sharesToDrop as beyond } from '../../../../src/router/render/text-budget.ts';

const share = (key: string, size: number) => ({
  route: { key },
  sizes: { textBytes: size, files: 0, bytes: 0 },
});
type Shares = readonly ReturnType<typeof share>[];
const keysOf = (shares: Shares) => shares.map(({ route }) => route.key);
const sharesToDrop = (shares: Shares, room: number) => beyond(shares, 'textBytes', room);

describe('dropping routes that do not fit', () => {
  test('takes them from the namespace with the largest total, not with the largest route', () => {
    const evil = Array.from({ length: 20 }, (_, index) => share(`evil:${index}`, 10));
    expect(keysOf(sharesToDrop([share('victim:a', 100), ...evil], 290))).toEqual(['evil:9']);
  });

  test('takes the largest first within a namespace', () => {
    expect(keysOf(sharesToDrop([share('a:1', 1), share('a:2', 5), share('a:3', 3)], 4))).toEqual(['a:2']);
  });

  test('leaves two large namespaces equal shares', () => {
    const both = ['a', 'b'].flatMap((namespace) =>
      Array.from({ length: 10 }, (_, index) => share(`${namespace}:${index}`, 1)),
    );
    const gone = keysOf(sharesToDrop(both, 10));
    expect(gone.filter((key) => key.startsWith('a:'))).toHaveLength(5);
    expect(gone).toHaveLength(10);
  });

  test('spares namespaces below their fair share, makes the rest fit, and ignores the order', () => {
    const shares = fc.uniqueArray(
      fc.record({
        namespace: fc.constantFrom('a', 'b', 'c'),
        name: fc.nat(30),
        size: fc.integer({ min: 1, max: 50 }),
      }),
      { selector: ({ namespace, name }) => `${namespace}:${name}`, maxLength: 40 },
    );
    fc.assert(
      fc.property(shares, fc.nat(500), fc.func(fc.integer()), (list, room, orderOf) => {
        const all = list.map(({ namespace, name, size }) => share(`${namespace}:${name}`, size));
        const gone = sharesToDrop(all, room);
        const shuffled = all.toSorted((a, b) => orderOf(a.route.key) - orderOf(b.route.key));
        expect(new Set(keysOf(sharesToDrop(shuffled, room)))).toEqual(new Set(keysOf(gone)));
        const sum = (some: Shares) => some.reduce((total, { sizes }) => total + sizes.textBytes, 0);
        expect(sum(all) - sum(gone)).toBeLessThanOrEqual(room);
        for (const namespace of ['a:', 'b:', 'c:']) {
          const own = all.filter(({ route }) => route.key.startsWith(namespace));
          if (sum(own) <= room / 3)
            expect(keysOf(gone).filter((key) => key.startsWith(namespace))).toEqual([]);
        }
      }),
    );
  });
});
