import { expect, test } from 'vitest';
import type { CommandResult } from '../../../src/engine/system/process/run-command.ts';
import { createKeepalivedCheck } from '../../../src/keepalived/check-configuration.ts';

const ended: CommandResult = { exitCode: 0, signal: undefined, stdout: '', stderr: '', timedOut: false };

async function verdict(result: Partial<CommandResult> | Error) {
  const check = createKeepalivedCheck({
    keepalivedPath: '/usr/sbin/keepalived',
    timeoutMs: 1_000,
    run: async () => {
      if (result instanceof Error) throw result;
      return { ...ended, ...result };
    },
  });
  return await check('/etc/keepalived/keepalived.conf');
}

const complaint = "(k.conf: Line 4) number '777' outside range [1, 255]";
const homeless = '(k.conf: Line 4) realpath() error 2 (No such file or directory) for lb';
const unused = (name: string) => `(k.conf: Line 9) (API) track file ${name} not found, ignoring...`;
const truncated = '(k.conf: Line 4) Truncating auth_pass to 8 characters';

test.each([
  ['no complaint', {}],
  ['a password cut to its length on the wire', { exitCode: 5, stderr: `${truncated}\n${truncated}\n` }],
  [
    'a track file in a folder that is not there yet, as 2.3 says it',
    { exitCode: 5, stderr: `${homeless}\n${homeless}\n${unused('lb')}\n` },
  ],
  ['a script that others may write', { exitCode: 6, stderr: 'SECURITY VIOLATION\n' }],
])('valid: %s', async (_, result) => {
  expect(await verdict(result)).toEqual({ kind: 'valid' });
});

test('a complaint makes the file invalid, and is reported once although keepalived prints it twice', async () => {
  const stderr = `${truncated}\n${complaint}\n${complaint}\n`;
  expect(await verdict({ exitCode: 5, stderr })).toMatchObject({
    kind: 'invalid',
    detail: `${truncated}\n${complaint}`,
  });
});

test('using a track file that is not in the configuration is invalid', async () => {
  const stderr = `${homeless}\n${unused('lb')}\n${unused('ingress')}\n`;
  expect(await verdict({ exitCode: 5, stderr })).toMatchObject({ kind: 'invalid' });
});

test('a missing file, for which keepalived exits with 0, is invalid', async () => {
  expect(await verdict({ stderr: "Config files missing 'k.conf'.\n" })).toMatchObject({ kind: 'invalid' });
});

test('a failure without output is invalid', async () => {
  expect(await verdict({ exitCode: 1 })).toMatchObject({ kind: 'invalid' });
});

test.each([
  ['it hangs', { exitCode: undefined, signal: 'SIGKILL', timedOut: true }],
  ['it is killed', { exitCode: undefined, signal: 'SIGKILL' }],
  ['it is missing', Object.assign(new Error('spawn'), { code: 'ENOENT' })],
])('the outcome is unknown if %s', async (_, result) => {
  expect(await verdict(result)).toMatchObject({ kind: 'impossible' });
});
