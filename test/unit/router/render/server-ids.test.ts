import { expect, test } from 'vitest';
import { serverIds } from '../../../../src/router/render/template-backend.ts';

/** One step of FNV-1a for each character. */
function fnv(state: number, text: string): number {
  let hash = state;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x0100_0193);
  return hash;
}

/** Two blocks of letters that lead from this state of the hash to the same one, found by trying. */
function collidingBlocks(state: number): readonly [string, string] {
  const seen = new Map<number, string>();
  for (let number = 0; ; number += 1) {
    const block = number.toString(36).padStart(5, '0');
    const next = fnv(state, block);
    const other = seen.get(next);
    if (other !== undefined) return [other, block];
    seen.set(next, block);
  }
}

/** Names with the same hash: every choice of a block at each of `blocks` places. */
function collidingNames(blocks: number): readonly string[] {
  let names = [''];
  let state = 0x811c_9dc5;
  for (let place = 0; place < blocks; place += 1) {
    const pair = collidingBlocks(state);
    names = names.flatMap((name) => pair.map((block) => name + block));
    state = fnv(state, pair[0]);
  }
  return names;
}

test('names that a tenant chose for their equal hashes get scattered ids, so that no search is long', () => {
  const ids = serverIds(collidingNames(10).map((name) => ({ name })));
  const used = new Set(ids);
  expect(used.size).toBe(1_024);
  expect(ids.filter((id) => used.has(id + 1)).length).toBeLessThan(5);
});
