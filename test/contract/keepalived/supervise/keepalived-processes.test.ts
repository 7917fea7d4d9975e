import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  childrenOf,
  isAlive,
  readProcess,
  signalProcess,
} from '../../../../src/engine/system/process/processes.ts';
import { runCommand } from '../../../../src/engine/system/process/run-command.ts';
import { createProcesses } from '../../../../src/keepalived/supervise/processes.ts';
import { createStateFile } from '../../../../src/keepalived/vrrp-state-file.ts';
import { testFolder } from '../../../helpers/test-folder.ts';
import { times, waitFor } from '../../../helpers/wait-for.ts';

let dir: string;
let path: string;
let parent: ChildProcess;
const complaints: unknown[] = [];
const log = (event: unknown): void => void complaints.push(event);

beforeEach(() => {
  dir = testFolder();
  path = join(dir, 'record.json');
  complaints.length = 0;
  parent = spawn('sh', ['-c', 'sleep 600 & wait'], { stdio: 'ignore' });
});
afterEach(() => {
  const found = readProcess(parent.pid ?? 0);
  for (const child of found === undefined ? [] : childrenOf(found.id)) signalProcess(child, 'SIGKILL');
  parent.kill('SIGKILL');
});

function parentId() {
  const found = readProcess(parent.pid ?? 0);
  if (found === undefined) throw new Error('Cannot read the parent: it is gone, expected it to sleep');
  return found.id;
}

test('the next supervisor finds the parent, and reaps the child that outlived it', async () => {
  const first = createProcesses(path, log);
  expect(first.leftOver()).toBeUndefined();
  first.started(parentId());
  const children = await waitFor('the child to be written down', () => {
    first.poll();
    const record = JSON.parse(readFileSync(path, 'utf8'));
    return record.children.length === 1 && record.children;
  });
  expect(createProcesses(path, log).leftOver()).toEqual(parentId());
  const id = parentId();
  parent.kill('SIGKILL');
  await waitFor('the parent to end', () => !isAlive(id));
  const next = createProcesses(path, log);
  expect(next.leftOver()).toBeUndefined();
  expect(isAlive(children[0])).toBe(true);
  await next.reap();
  expect(isAlive(children[0])).toBe(false);
  expect(complaints).toEqual([]);
});

test('a failed write of the record is reported once, and known processes still exit', async () => {
  const processes = createProcesses(join(dir, 'missing', 'record.json'), log);
  const id = parentId();
  processes.started(id);
  await times('child', () => childrenOf(id), 1);
  processes.poll();
  expect(complaints).toMatchObject([{ event: 'record-not-written' }]);
  const children = childrenOf(id);
  await processes.reap();
  expect([id, ...children].map(isAlive)).toEqual([false, false]);
});

test('the state file has the states of the instances until it is removed', () => {
  const states = join(dir, 'vrrp-state.json');
  const file = createStateFile(states, log);
  file.write(
    [
      { name: 'API', state: 'MASTER', priority: 250, since: 4_000 },
      { name: 'INGRESS', state: 'UNKNOWN', priority: 0, since: 4_000 },
    ],
    5_000,
  );
  const { instances, at } = JSON.parse(readFileSync(states, 'utf8'));
  expect(instances).toEqual([
    { name: 'API', state: 'MASTER', priority: 250, sinceMs: Date.parse(at) - 1_000 },
  ]);
  file.remove();
  expect(existsSync(states)).toBe(false);
});

test('on a full disk the state file keeps the current state, and never has an old one', async () => {
  const script = fileURLToPath(new URL('states-on-full-disk.ts', import.meta.url));
  const run = 'mount -t tmpfs -o size=64k none "$2" && exec "$0" "$@"';
  const argv = ['unshare', '-m', 'sh', '-c', run, process.execPath, script, dir] as const;
  const { stdout } = await runCommand(argv, { timeoutMs: 30_000 });
  expect(JSON.parse(stdout)).toEqual({
    before: 'MASTER',
    otherPriorities: Array(6).fill('MASTER'),
    isReplaced: false,
    after: 'BACKUP',
  });
});
