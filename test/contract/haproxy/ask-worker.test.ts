import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readProcess } from '../../../src/engine/system/process/processes.ts';
import { askWorker } from '../../../src/haproxy/ask-worker.ts';
import { testFolder } from '../../helpers/test-folder.ts';

function masterIn(pid: number) {
  const found = readProcess(pid);
  if (found === undefined) throw new Error(`there is no process ${pid}`);
  return { generation: 1, master: found.id };
}

function socketPath(): string {
  const folder = testFolder();
  return join(folder, 'master.sock');
}

test('a master that does not accept connections yet is retried', async () => {
  const path = socketPath();
  const heard: string[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.once('data', (text) => {
      heard.push(`${text}`);
      socket.end('\n');
    });
  });
  onTestFinished(() => void server.close());
  const asked = askWorker(path, masterIn(process.pid), ['show info', 'show stat'], 10_000);
  setImmediate(() => setImmediate(() => server.listen(path)));
  expect(await asked).toBe('\n');
  expect(heard).toEqual(['@1 show info;@1 show stat\n']);
});

test('a dead master is not retried; a live one is, until the timeout', async () => {
  const child = spawn('sleep', ['60']);
  await once(child, 'spawn');
  const ended = masterIn(child.pid ?? 0);
  child.kill();
  await once(child, 'exit');
  expect(await askWorker(socketPath(), ended, ['show info'], 1_000_000)).toBeUndefined();
  expect(await askWorker(socketPath(), masterIn(process.pid), ['show info'], 50)).toBeUndefined();
});
