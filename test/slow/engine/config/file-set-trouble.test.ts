import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { revisionIn } from '../../../../src/engine/config/layout.ts';
import { revisionOf } from '../../../../src/engine/config/set.ts';
import { runCommand } from '../../../../src/engine/system/process/run-command.ts';
import {
  type ApplyScene,
  createApplyScene,
  deployerFor,
} from '../../../contract/engine/config/apply-scene.ts';
import { modelSupervisor } from '../../../contract/engine/config/model-supervisor.ts';
import { setAt, setOf, wholeSet } from '../../../contract/engine/config/set-scene.ts';

const { signal } = new AbortController();
const script = fileURLToPath(new URL('../../../contract/engine/config/apply-set.ts', import.meta.url));

let scene: ApplyScene;
beforeEach(async () => {
  scene = await createApplyScene();
  await scene.serve();
});
afterEach(async () => {
  await scene[Symbol.asyncDispose]();
});

it.each([
  ['', 'new'],
  [' that was applied at runtime', 'old,new'],
  [' that was applied over an unvalidated one', 'old,old-too,new'],
])(
  'SIGKILL at any step leaves the old or the new set%s intact, and the next monitor deploys the new one',
  async (_, rounds) => {
    const unharmed = await withOldSet('unharmed');
    modelSupervisor(scene, unharmed);
    const { steps } = await applyInChild(unharmed, rounds);
    expect(steps).toBeGreaterThan(20);
    const found = new Set<string>();
    let isTold = false;
    for (let step = 1; step <= steps; step += 1) {
      const configPath = await withOldSet(`killed-${step}`);
      const model = modelSupervisor(scene, configPath);
      expect(await applyInChild(configPath, rounds, step)).toMatchObject({ killed: true });
      const left = setAt(configPath);
      found.add(left.text);
      const whole = [...new Set(['old', ...rounds.split(',')])].map((word) => wholeSet(setOf(word)));
      expect(whole, `killed before step ${step} of ${steps}`).toContainEqual(left);

      const there = revisionIn(readFileSync(configPath)).revision;
      isTold ||= ![there, revisionOf(setOf('old'))].includes(model.running);
      expect(['reloaded', 'unchanged']).toContain(
        (await deployerAt(configPath).applySet(setOf('new'), signal))?.kind,
      );
      expect(setAt(configPath)).toEqual(wholeSet(setOf('new')));
      expect(model.running).toBe(revisionIn(readFileSync(configPath)).revision);
    }
    expect(found.size).toBe(Math.max(2, rounds.split(',').length));
    // At some steps HAProxy ran a change that was in no file yet.
    expect(isTold).toBe(rounds !== 'new');
  },
  300_000,
);

it.each([
  ['a full disk', 'dd if=/dev/zero of="$D/fill" bs=4k 2>/dev/null', 'ENOSPC'],
  ['a read-only disk', 'mount -o remount,ro "$D"', 'EROFS'],
])('on %s the last good set is kept, and nothing of the new one is left', async (_what, spoil, expected) => {
  const apply = `"${process.execPath}" "${script}" "$D/haproxy.cfg" /nonexistent`;
  const run = `set -e; D=${scene.directory}; mount -t tmpfs -o size=96k none "$D"
    ${apply} old >/dev/null; ${spoil} || true
    ${apply} new; echo; tail -2 "$D/haproxy.cfg" | head -1; cat "$D"/haproxy.cfg.files/maps/*; ls "$D"/haproxy.cfg.files/* | wc -l`;
  const { stdout, stderr } = await runCommand(['unshare', '-m', 'sh', '-c', run], { timeoutMs: 30_000 });
  const [said = '', ...left] = stdout.trim().split('\n');
  expect(said, stderr).toContain('"kind":"failed"');
  expect(said).toContain(expected);
  expect(left).toEqual(['# old', 'a.example old', '8']);
});

function deployerAt(configPath: string) {
  const ask = async () => ({ kind: 'valid' }) as const;
  return deployerFor({ configPath, ask, socketPath: join(scene.directory, 'master.sock') });
}

/** Creates a folder with the old set in place. */
async function withOldSet(name: string): Promise<string> {
  const configPath = join(scene.directory, name, 'haproxy.cfg');
  mkdirSync(join(scene.directory, name));
  await deployerAt(configPath).applySet(setOf('old'), signal);
  return configPath;
}

/** Applies sets in a child process, which is killed at `step` if that is not 0. */
async function applyInChild(
  configPath: string,
  rounds: string,
  step = 0,
): Promise<{ readonly steps: number; readonly killed: boolean }> {
  const socketPath = join(scene.directory, 'master.sock');
  const argv = [process.execPath, script, configPath, socketPath, rounds, String(step)] as const;
  const { stdout, signal: killedBy } = await runCommand(argv, { timeoutMs: 30_000 });
  if (killedBy !== undefined) return { steps: step, killed: killedBy === 'SIGKILL' };
  return { steps: JSON.parse(stdout).steps, killed: false };
}
