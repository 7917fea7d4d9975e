import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isAlive, signalProcess } from '../../../../../src/engine/system/process/processes.ts';
import { spawnDaemon } from '../../../../../src/engine/system/process/spawn-daemon.ts';
import { testFolder } from '../../../../helpers/test-folder.ts';

test('a missing or non-executable program is a failed outcome', () => {
  const dir = testFolder();
  const file = join(dir, 'program');
  writeFileSync(file, '');
  chmodSync(file, 0o600);
  for (const program of [join(dir, 'missing'), file, dir]) {
    expect(spawnDaemon([program])).toEqual({
      kind: 'failed',
      message: `Cannot start "${program}": it is missing or not executable, or no process or file descriptor is free`,
    });
  }
});

test('a program for which Node throws is a failed outcome', () => {
  const program = '/dev/null/program';
  expect(spawnDaemon([program])).toEqual({
    kind: 'failed',
    message: `Cannot start "${program}": spawn ENOTDIR`,
  });
});

test.each([
  ['exit code 3', ['sh', '-c', 'exit 3']],
  ['exit code 0', ['true']],
  ['signal SIGTERM', ['sh', '-c', 'kill -TERM $$']],
] as const)('the end of a daemon is reported: %s', async (how, argv) => {
  const outcome = spawnDaemon([...argv]);
  expect(outcome.kind).toBe('started');
  if (outcome.kind === 'started') expect(await outcome.exited).toBe(how);
});

test('a daemon is identified by its pid and start time', async () => {
  const outcome = spawnDaemon(['sleep', '600']);
  if (outcome.kind === 'failed') throw new Error(outcome.message);
  expect(isAlive(outcome.id)).toBe(true);
  signalProcess(outcome.id, 'SIGKILL');
  expect(await outcome.exited).toBe('signal SIGKILL');
});
