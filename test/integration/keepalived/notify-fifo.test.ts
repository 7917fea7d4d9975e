import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  closeSync,
  constants,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readNotifyFifo } from '../../../src/keepalived/notify-fifo.ts';
import type { Notification } from '../../../src/keepalived/vrrp-program.ts';
import { testFolder } from '../../helpers/test-folder.ts';
import { times, waitFor } from '../../helpers/wait-for.ts';

let dir: string;
let path: string;
let told: Notification[];
let opened: number[];
beforeEach(() => {
  dir = testFolder();
  path = join(dir, 'notify.fifo');
  told = [];
  opened = [];
});
afterEach(() => {
  for (const fifo of opened) closeSync(fifo);
});

test('lines of several writers, sequential and in pieces, are all reported', async () => {
  const close = await readNotifyFifo(path, (notification) => told.push(notification));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  appendFileSync(path, 'INSTANCE "API" BACKUP 220\nINSTANCE "API" MAS');
  appendFileSync(path, 'TER 220\nnonsense\n');
  appendFileSync(path, 'INSTANCE "API" STOP 220\n');
  await times('line', () => told, 3);
  expect(told.map(({ what }) => what)).toEqual(['BACKUP', 'MASTER', 'STOP']);
  close();
});

test('an existing FIFO is kept, including what was written while there was no reader', async () => {
  const first = await readNotifyFifo(path, () => undefined);
  const inode = statSync(path).ino;
  chmodSync(path, 0o644);
  const second = await readNotifyFifo(path, (notification) => told.push(notification));
  first();
  expect(statSync(path)).toMatchObject({ ino: inode });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  appendFileSync(path, 'INSTANCE "API" MASTER 220\n');
  await times('line', () => told, 1);
  second();
});

test('a file with content is reported, not removed', async () => {
  writeFileSync(path, 'precious');
  await expect(readNotifyFifo(path, () => undefined)).rejects.toThrow(path);
  expect(statSync(path).size).toBe(8);
});

/** Opened for reading and writing, because opening a FIFO without a reader would block the writer. */
function writeLine(what: string): void {
  const fifo = openSync(path, constants.O_RDWR);
  writeSync(fifo, `INSTANCE "API" ${what} 220\n`);
  opened.push(fifo);
}

test('a removed FIFO is created again, and lines written to either one are reported', async () => {
  const close = await readNotifyFifo(path, (notification) => told.push(notification));
  const running = openSync(path, constants.O_RDWR);
  opened.push(running);
  rmSync(path);
  await waitFor('another FIFO', () => statSync(path, { throwIfNoEntry: false })?.isFIFO());
  writeSync(running, 'INSTANCE "API" MASTER 220\n');
  await times('line', () => told, 1);
  writeLine('STOP');
  await times('line', () => told, 2);
  close();
});

test('lines from the running keepalived are reported, however often its FIFO is removed', async () => {
  const close = await readNotifyFifo(path, (notification) => told.push(notification));
  const running = openSync(path, constants.O_RDWR);
  opened.push(running);
  for (const [index, what] of ['BACKUP', 'MASTER', 'BACKUP', 'MASTER', 'STOP'].entries()) {
    rmSync(path);
    await waitFor('another FIFO', () => statSync(path, { throwIfNoEntry: false })?.isFIFO());
    // This line is read first, so that the next removal hits a FIFO that has a reader.
    writeLine('FAULT');
    await times('line', () => told, 2 * index + 1);
    writeSync(running, `INSTANCE "API" ${what} 220\n`);
    await times('line', () => told, 2 * index + 2);
  }
  close();
});

test('a FIFO created by another program in its place is read', async () => {
  const close = await readNotifyFifo(path, (notification) => told.push(notification));
  rmSync(path);
  execFileSync('mkfifo', [path]);
  writeLine('BACKUP');
  await times('line', () => told, 1);
  close();
});
