import { expect, test } from 'vitest';
import {
  checkOf,
  type FactReader,
  fail,
  ok,
  read,
  skip,
  unknown,
  warn,
} from '../../../../src/engine/examine/check.ts';
import type { NodeContext } from '../../../../src/engine/examine/context.ts';

const about = { id: 'x', title: 'x', why: 'x' };

function nodeWhere(isSeen: boolean): NodeContext {
  const settings = { manifests: '/etc/kubernetes/manifests' };
  return { settings, readings: { isNodeSeen: async () => isSeen } } as never;
}

test('a reading that fails is the finding, and no rule is evaluated', async () => {
  const check = checkOf({
    ...about,
    needs: { fine: () => read(1), broken: () => unknown('no such file', 'make it') },
    judge: () => ok('it is fine'),
  });
  expect(await check.run(nodeWhere(true))).toEqual(unknown('no such file', 'make it'));
});

test('two checks share one reading', async () => {
  let count = 0;
  const look: FactReader<NodeContext, number> = async () => {
    count += 1;
    return read(count);
  };
  const check = checkOf({ ...about, needs: { look }, judge: (facts) => ok(`reading ${facts.look}`) });
  const node = nodeWhere(true);
  const both = await Promise.all([check.run(node), check.run(node)]);
  expect(both).toEqual([ok('reading 1'), ok('reading 1')]);
});

test('the worst of several findings is reported, and none means that there is nothing to check', async () => {
  const of = (all: readonly number[]) =>
    checkOf({
      ...about,
      needs: { all: () => read(all) },
      none: 'there is no disk',
      judge: (facts) =>
        facts.all.map((each) => {
          if (each === 9) return fail('disk 9 is gone', 'buy one');
          return each > 1 ? warn(`disk ${each}`, 'replace it') : ok('fine');
        }),
    }).run(nodeWhere(true));
  expect(await of([1, 2, 3])).toEqual(warn('disk 2; disk 3', 'replace it'));
  expect(await of([2, 9])).toEqual(fail('disk 9 is gone', 'buy one'));
  expect(await of([])).toEqual(skip('there is no disk'));
});

test("nothing to check is meaningless if the node's files are not visible", async () => {
  const check = checkOf({
    ...about,
    needs: { program: () => skip('it does not run') },
    unlessUnseen: ['skip'],
    judge: () => ok('it runs'),
  });
  expect(await check.run(nodeWhere(true))).toEqual(skip('it does not run'));
  expect(await check.run(nodeWhere(false))).toMatchObject({ kind: 'unknown' });
});
