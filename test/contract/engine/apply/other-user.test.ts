import { chmodSync, chownSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runCommand } from '../../../../src/engine/system/process/run-command.ts';
import { type ApplyScene, createApplyScene } from './apply-scene.ts';
import { setAt, setOf, wholeSet } from './set-scene.ts';

const script = fileURLToPath(new URL('apply-set.ts', import.meta.url));

let scene: ApplyScene;
beforeEach(async () => {
  scene = await createApplyScene();
  chmodSync(scene.directory, 0o755);
});
afterEach(() => scene[Symbol.asyncDispose]());

const NOBODY = 65_534;

it.each([
  ['may not be read', (folder: string) => chmodSync(folder, 0o700)],
  ['has a folder that may not be read', (folder: string) => chmodSync(join(folder, 'maps'), 0o700)],
  ['has a file that may not be read', (folder: string) => chmodSync(join(folder, 'maps/hosts.map'), 0o600)],
])('a set of another user that %s gives way to a new one', async (_what, spoil) => {
  await applyAsRoot();
  spoil(`${scene.configPath}.sets/1`);
  for (const path of [scene.directory, `${scene.configPath}.sets`]) chownSync(path, NOBODY, NOBODY);
  const said = await applyAsNobody();
  expect(said).toContain('"kind":"unreachable"');
  expect(setAt(scene.configPath)).toEqual(wholeSet(setOf('new')));
});

it("if no set can be made next to another user's, the error names the path and the last good set stays", async () => {
  await applyAsRoot();
  chownSync(scene.directory, NOBODY, NOBODY);
  const said = await applyAsNobody();
  expect(said).toContain('"kind":"failed"');
  expect(said).toContain(
    `EACCES: permission denied, mkdir '${scene.configPath}.sets/2', expected a writable directory`,
  );
  expect(setAt(scene.configPath)).toEqual(wholeSet(setOf('old')));
});

/** What became of the new set. The script is read before it is nobody's. */
async function applyAsNobody(): Promise<string> {
  const program = [process.execPath, script, scene.configPath, '/nonexistent', 'new'];
  const argv = ['env', `APPLY_AS=${NOBODY}`, ...program] as const;
  const { stdout, stderr } = await runCommand(argv, { timeoutMs: 30_000 });
  expect(stderr).toBe('');
  return stdout;
}

async function applyAsRoot(): Promise<void> {
  await scene
    .applier({ check: async () => ({ kind: 'valid' }) })
    .applySet(setOf('old'), AbortSignal.timeout(20_000));
}
