import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { targets } from '../fuzz/table.ts';
import { runTarget } from '../fuzz/target.ts';
import { waitFor } from '../helpers/wait-for.ts';

/** Always the same cases: new ones are for `npm run test:fuzz`. */
const SEED = 13;
const CASES = 400;

test.each(targets.map((target) => [target.name, target.claim, target] as const))(
  '%s: %s',
  async (_name, _claim, target) => {
    expect(await runTarget(target, CASES, SEED)).toMatchObject({ kind: 'held' });
  },
);

test('a run that a signal ends leaves no folder behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hawser-ended-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const argv = [join(import.meta.dirname, '../fuzz/main.ts'), '--only', 'control-socket'];
  const run = spawn(process.execPath, argv, { env: { ...process.env, TMPDIR: folder }, stdio: 'ignore' });
  await waitFor('its folder', () => readdirSync(folder).length > 0, 30_000);
  run.kill('SIGTERM');
  await waitFor('its folder to go', () => readdirSync(folder).length === 0, 30_000);
});
