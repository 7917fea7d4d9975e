import { type ChildProcess, spawn } from 'node:child_process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ProcessId, readProcess } from '../../../../../src/engine/system/process/processes.ts';
import { waitUntilGone } from '../../../../../src/engine/system/process/wait-until-gone.ts';

let child: ChildProcess;
let alive: ProcessId;

beforeEach(() => {
  child = spawn('sleep', ['600'], { stdio: 'ignore' });
  const found = readProcess(child.pid ?? 0);
  if (found === undefined) throw new Error('Cannot read the child: it is gone, expected it to sleep');
  alive = found.id;
});
afterEach(() => void child.kill('SIGKILL'));

test('the end of a process is noticed', async () => {
  let gone = false;
  const waiting = waitUntilGone(alive).then(() => {
    gone = true;
  });
  expect(gone).toBe(false);
  child.kill('SIGKILL');
  await waiting;
  expect(gone).toBe(true);
});

test('a process whose pid was reused is gone', async () => {
  await waitUntilGone({ ...alive, startTicks: alive.startTicks - 1 });
});
