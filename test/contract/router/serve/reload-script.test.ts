import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runCommand } from '../../../../src/engine/system/process/run-command.ts';
import { reloadByScript, scriptProblem } from '../../../../src/router/serve/reload-script.ts';
import { type ApplyScene, createApplyScene, goodText } from '../../engine/config/apply-scene.ts';

const { signal } = new AbortController();
const before = goodText(1001);
const after = goodText(1002);

let scene: ApplyScene;
beforeEach(async () => {
  scene = await createApplyScene();
});
afterEach(() => scene[Symbol.asyncDispose]());

const path = (): string => join(scene.directory, 'reload');
/** Nothing listens on the control socket: only the script is used. */
function scripted(body: string, timeoutMs = 60_000) {
  writeFileSync(path(), `#!/bin/sh\n${body}\n`);
  chmodSync(path(), 0o755);
  return scene.deployer({
    proxy: reloadByScript({ path: path(), config: scene.configPath, timeoutMs, run: runCommand }),
  });
}
const runs = () => readFileSync(join(scene.directory, 'runs'), 'utf8').split('\n').filter(Boolean);
const countRuns = 'grep -c "" "$1" >>"$(dirname "$1")/runs"';

test('a reload script runs once for each file, after it is validated and on disk', async () => {
  const { apply } = scripted(countRuns);
  expect(await apply(before, signal)).toMatchObject({ kind: 'reloaded' });
  expect(await apply(after, signal)).toMatchObject({ kind: 'reloaded' });
  expect(await apply(after, signal)).toEqual({ kind: 'unchanged' });
  expect(runs()).toHaveLength(2);
  expect([scene.checks(), readFileSync(scene.configPath, 'utf8')]).toEqual([2, after]);
});

test("a refusal is reported with the script's output, and the previous file is restored", async () => {
  const { apply } = scripted(`grep -q 1002 "$1" && { echo no room >&2; exit 3; }; ${countRuns}`);
  await apply(before, signal);
  const outcome = await apply(after, signal);
  expect(outcome).toMatchObject({ kind: 'rejected', by: 'reload', detail: 'no room' });
  expect(outcome).toHaveProperty(
    'message',
    `Cannot reload HAProxy by "${path()}": exit code 3, expected exit code 0`,
  );
  expect(readFileSync(scene.configPath, 'utf8')).toBe(before);
});

test("a script has hawser's environment without its memory settings", async () => {
  vi.stubEnv('MALLOC_ARENA_MAX', '1');
  vi.stubEnv('HAWSER_TEST_MARK', 'inherited');
  await scripted('env >"$(dirname "$1")/runs"').apply(before, signal);
  vi.unstubAllEnvs();
  expect(runs()).toContain('HAWSER_TEST_MARK=inherited');
  expect(runs().join()).not.toContain('MALLOC_');
});

test('a script that hangs or is missing is retried later', async () => {
  const slow = scripted('sleep 60', 100);
  expect(await slow.apply(before, signal)).toMatchObject({ kind: 'unreachable' });
  const gone = scripted(`rm "$0"; ${countRuns}`);
  await gone.apply(before, signal);
  expect(await gone.apply(after, signal)).toMatchObject({ kind: 'unreachable' });
});

test('a script that cannot be run is an error with its path', async () => {
  writeFileSync(path(), '');
  chmodSync(path(), 0o644);
  const problem = (what: string, of: string): string =>
    `Cannot run RELOAD_SCRIPT "${of}": ${what}, expected a program`;
  expect(await scriptProblem(path())).toBe(problem('EACCES', path()));
  expect(await scriptProblem('/no/such')).toBe(problem('ENOENT', '/no/such'));
  expect(await scriptProblem(scene.haproxyPath)).toBe(undefined);
});
