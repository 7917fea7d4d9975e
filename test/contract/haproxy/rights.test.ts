import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, constants, copyFileSync, cpSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { testFolder } from '../../helpers/test-folder.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { containerOf, haproxyManifest, readPod } from '../../unit/manifests/pod.ts';

/** A folder that every user may enter, like the volume of the pod. */
let dir: string;
beforeEach(() => {
  dir = testFolder();
  chmodSync(dir, 0o777);
  copyFileSync(process.execPath, join(dir, 'node'), constants.COPYFILE_FICLONE);
  cpSync(fileURLToPath(new URL('../../../dist', import.meta.url)), join(dir, 'dist'), { recursive: true });
});
/** hawser with the user, group and capabilities of a container. */
function hawserIn(user: number, group: number, capabilities: readonly string[] = []) {
  const bounds = ['-all', ...capabilities.map((name) => `+${name.toLowerCase()}`)];
  const ids = [`--reuid=${user}`, `--regid=${group}`, '--clear-groups'];
  const rights = [...ids, `--bounding-set=${bounds}`, '--inh-caps=-all'];
  return ['setpriv', ...rights, '--', join(dir, 'node'), join(dir, 'dist/hawser.mjs')] as const;
}

function hawserAs(name: string) {
  const { runAsUser, runAsGroup, capabilities } = containerOf(readPod(haproxyManifest), name).securityContext;
  return hawserIn(runAsUser ?? 0, runAsGroup ?? 0, capabilities.add);
}

test("only the pod's monitor reaches the supervisor's socket, without DAC_OVERRIDE", async () => {
  const socket = join(dir, 'master.sock');
  const at = (name: string) => join(dir, name);
  const flags = ['--config', at('none.cfg'), '--socket', socket, '--listen', 'off'];
  const files = ['--stats-socket', at('stats.sock'), '--pid-file', at('pid'), '--state-file', at('state')];
  const [program, ...argv] = hawserAs('haproxy');
  const supervisor = spawn(program, [...argv, 'haproxy', 'supervise', ...flags, ...files], {
    stdio: 'ignore',
  });
  const ended = once(supervisor, 'exit');
  onTestFinished(() => void supervisor.kill('SIGKILL'));
  await waitFor('the socket', () => existsSync(socket));
  expect(statSync(socket).mode & 0o777).toBe(0o660);
  const status = ['haproxy', 'status', '--json', '--socket', socket];
  const ask = (who: readonly [string, ...string[]]) => runCommand([...who, ...status], { timeoutMs: 60_000 });
  expect((await ask(hawserAs('haproxy-monitor'))).stdout).toContain('"ok":true');
  // Root in another group with the same capability, and the user nobody.
  for (const who of [hawserIn(0, 0, ['NET_ADMIN']), hawserIn(65_534, 65_534)])
    expect((await ask(who)).stderr).toMatch(
      /EACCES.*: the socket belongs to user 65529 and group 65529 and has mode 0660/,
    );
  expect((await ask(hawserIn(0, 0))).stderr).toContain(
    'this process is user 0 in group 0; expected one group (runAsGroup) for both containers of the pod',
  );
  supervisor.kill();
  await ended;
});
