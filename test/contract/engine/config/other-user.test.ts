import { chmodSync, chownSync } from 'node:fs';
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

it('no file of another user is overwritten, and the error names the path', async () => {
  await applyAsRoot();
  chownSync(scene.directory, NOBODY, NOBODY);
  const said = await applyAsNobody();
  expect(said).toContain('"kind":"failed"');
  expect(said).toContain(`EACCES: permission denied, open '${scene.configPath}.files/`);
  expect(said).toContain('expected a writable directory');
  expect(setAt(scene.configPath)).toEqual(wholeSet(setOf('old')));
});

/** The outcome for the new set. The script is read before the process becomes `nobody`. */
async function applyAsNobody(): Promise<string> {
  const program = [process.execPath, script, scene.configPath, '/nonexistent', 'new'];
  const argv = ['env', `APPLY_AS=${NOBODY}`, ...program] as const;
  const { stdout, stderr } = await runCommand(argv, { timeoutMs: 30_000 });
  expect(stderr).toBe('');
  return stdout;
}

async function applyAsRoot(): Promise<void> {
  await scene
    .deployer({ ask: async () => ({ kind: 'valid' }) })
    .applySet(setOf('old'), AbortSignal.timeout(20_000));
}
