import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createKeepalivedProgram, keepalivedPaths } from '../../../src/keepalived/keepalived-program.ts';
import { testFolder } from '../../helpers/test-folder.ts';

/** A driver of a keepalived whose `--config-test` is this shell script. */
function programWith(script: string) {
  const runDir = testFolder();
  const keepalived = join(runDir, 'keepalived');
  writeFileSync(keepalived, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const paths = keepalivedPaths({ keepalived, config: join(runDir, 'keepalived.conf'), runDir });
  writeFileSync(paths.config, 'vrrp_instance API {\n}\n');
  const driver = createKeepalivedProgram(paths, { realtimePriority: undefined, silentAfterMs: 1_000 });
  return { driver, paths };
}

test.each([
  ['was terminated by SIGKILL', 'kill -KILL $$', () => {}],
  [
    'cannot be run (ENOENT)',
    'exit 0',
    ({ keepalived }: ReturnType<typeof keepalivedPaths>) => rmSync(keepalived),
  ],
  [
    'EISDIR',
    'exit 0',
    ({ candidate }: ReturnType<typeof keepalivedPaths>) =>
      mkdirSync(join(candidate, 'folder'), { recursive: true }),
  ],
])('a configuration is not refused if there is no verdict: %s', async (reason, script, prepare) => {
  const { driver, paths } = programWith(script);
  prepare(paths);
  const message = expect.stringContaining(reason);
  expect(await driver.accept()).toEqual({ kind: 'unchecked', message });
  expect(existsSync(paths.accepted)).toBe(false);
});

test('a configuration is refused with the complaint of keepalived, and accepted without one', async () => {
  const refusing = programWith('echo "Unknown keyword"; exit 5');
  expect(await refusing.driver.accept()).toMatchObject({ kind: 'refused', detail: 'Unknown keyword' });
  const accepting = programWith('exit 0');
  expect(await accepting.driver.accept()).toMatchObject({ kind: 'accepted', configuration: { number: 1 } });
  expect(accepting.driver.lastAccepted()).toMatchObject({ number: 1 });
});

test('a text that ended keepalived is refused without a check', async () => {
  const { driver, paths } = programWith('exit 0');
  await driver.accept();
  const deadly = driver.lastAccepted()?.sha256 ?? '';
  rmSync(paths.keepalived);
  expect(await driver.accept(deadly)).toMatchObject({
    kind: 'refused',
    message: expect.stringContaining('keepalived ended twice when it read this text'),
  });
  expect(await driver.accept('another')).toMatchObject({ kind: 'unchecked' });
});
