import { expect, test } from 'vitest';
import { targets } from '../fuzz/table.ts';
import { runTarget } from '../fuzz/target.ts';

/** Always the same cases: new ones are for `npm run test:fuzz`. */
const SEED = 13;
const CASES = 400;

test.each(targets.map((target) => [target.name, target.claim, target] as const))(
  '%s: %s',
  async (_name, _claim, target) => {
    expect(await runTarget(target, CASES, SEED)).toMatchObject({ kind: 'held' });
  },
);
