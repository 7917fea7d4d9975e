import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import {
  childrenOf,
  isAlive,
  processEpoch,
  readProcess,
  residentBytes,
  signalProcess,
} from '../../../../../src/engine/system/process/processes.ts';
import { testFolder } from '../../../../helpers/test-folder.ts';
import { waitFor } from '../../../../helpers/wait-for.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const clean of cleanups.splice(0)) clean();
});

function run(file: string, ...args: string[]) {
  const child = spawn(file, args, { stdio: 'ignore' });
  cleanups.push(() => void child.kill('SIGKILL'));
  const found = readProcess(child.pid ?? 0);
  if (found === undefined) throw new Error(`Cannot read "${file}": it is gone, expected it to run`);
  return { child, ...found };
}

test('this process is alive, has a parent, and started before its child', () => {
  const own = readProcess(process.pid);
  const { id, parentPid } = run('sleep', '600');
  expect(own).toMatchObject({ id: { pid: process.pid }, parentPid: process.ppid });
  expect(parentPid).toBe(process.pid);
  expect(id.startTicks).toBeGreaterThanOrEqual(own?.id.startTicks ?? Number.POSITIVE_INFINITY);
  expect(isAlive(id)).toBe(true);
});

test('a command name with blanks and parentheses does not shift the fields', () => {
  const dir = testFolder();
  const file = join(dir, 'a) R 1 (b');
  copyFileSync('/bin/sleep', file);
  expect(run(file, '600')).toMatchObject({ parentPid: process.pid, id: { startTicks: expect.any(Number) } });
});

test('a zombie is not alive', async () => {
  // The shell never waits for its child, which stays a zombie until the shell ends.
  const { id } = run('sh', '-c', 'sleep 0.01 & exec sleep 600');
  const zombie = await waitFor('the zombie', () => {
    return childrenWithZombies(id.pid)
      .map((pid) => readProcess(pid))
      .find((found) => found?.state === 'Z');
  });
  expect(isAlive(zombie.id)).toBe(false);
  expect(signalProcess(zombie.id, 'SIGTERM')).toBe(false);
  expect(childrenOf(id)).toEqual([]);
});

function childrenWithZombies(parent: number): readonly number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.filter((pid) => readProcess(pid)?.parentPid === parent);
}

test('a pid that now belongs to another process is neither alive nor signalled', async () => {
  const { id, child } = run('sleep', '600');
  const earlier = { ...id, startTicks: id.startTicks - 1 };
  expect(isAlive(earlier)).toBe(false);
  expect(signalProcess(earlier, 'SIGKILL')).toBe(false);
  expect(isAlive(id)).toBe(true);
  expect(signalProcess(id, 'SIGKILL')).toBe(true);
  await once(child, 'exit');
  expect(isAlive(id)).toBe(false);
  expect(readProcess(id.pid)).toBeUndefined();
  expect(signalProcess(id, 'SIGKILL')).toBe(false);
});

test('children are listed with their start times', () => {
  const { id } = run('sleep', '600');
  const own = readProcess(process.pid);
  expect(own === undefined ? [] : childrenOf(own.id)).toContainEqual(id);
});

test('the epoch is the same for all processes of this boot', () => {
  expect(processEpoch()).toBe(processEpoch());
  expect(processEpoch()).toMatch(/^[0-9a-f-]{36}\/\d+$/);
});

test('the memory of processes is summed, and a missing process counts 0', async () => {
  const { child, id } = run('sleep', '60');
  // A process that has just started is still growing.
  const isAddedUp = () => residentBytes([id, id]) === 2 * residentBytes([id]);
  await waitFor('memory', () => residentBytes([id]) > 0 && isAddedUp());
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(residentBytes([id])).toBe(0);
});
