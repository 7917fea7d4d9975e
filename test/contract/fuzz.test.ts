import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { targets } from '../fuzz/table.ts';
import { attackTogether, runTarget } from '../fuzz/target.ts';
import { testFolder } from '../helpers/test-folder.ts';
import { waitFor } from '../helpers/wait-for.ts';

/** Always the same cases; `npm run test:fuzz` is for new ones. */
const SEED = 13;
const CASES = 20;

test.each(targets.map((target) => [target.name, target.claim, target] as const))(
  '%s: %s',
  async (_name, _claim, target) => {
    expect(await runTarget(target, CASES, SEED)).toMatchObject({ kind: 'held' });
  },
);

test('a case refused in a batch is reported alone', async () => {
  const refusing = (isRefused: (parts: readonly number[]) => boolean) =>
    attackTogether(fc.nat(1_000), {
      prepare: (number) => number,
      judge: async (parts) => {
        if (isRefused(parts)) throw new Error('it is refused');
      },
      atOnce: 50,
    });
  const parameters = { numRuns: CASES, seed: SEED };
  const one = await refusing((parts) => parts.some((part) => part > 500))(parameters);
  expect(one).toMatchObject({ kind: 'failed', report: expect.stringContaining('Counterexample: [501]') });
  const together = await refusing((parts) => parts.length > 1)(parameters);
  expect(together).toMatchObject({ kind: 'failed', report: 'only side by side: it is refused' });
  expect(await refusing(() => false)(parameters)).toEqual({ kind: 'held', cases: CASES });
});

test('a run that is ended by a signal leaves no folder behind', async () => {
  const folder = testFolder();
  const argv = [join(import.meta.dirname, '../fuzz/main.ts'), '--only', 'control-socket'];
  const run = spawn(process.execPath, argv, { env: { ...process.env, TMPDIR: folder }, stdio: 'ignore' });
  await waitFor('its folder', () => readdirSync(folder).length > 0);
  run.kill('SIGTERM');
  await waitFor('its folder to go', () => readdirSync(folder).length === 0);
});
