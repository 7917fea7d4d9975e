import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { createOnce } from '../../../../src/engine/observe/once.ts';
import { readParticipationNote } from '../../../../src/keepalived/participation-note.ts';
import { readTrackValue } from '../../../../src/keepalived/track-file.ts';
import { createTrackWriter, type TrackWriter } from '../../../../src/vip/health/track-writer.ts';
import { testFolder } from '../../../helpers/test-folder.ts';

const admitted = { before: 'admitted', state: 'in', until: null } as const;
const url = { secure: false, host: '127.0.0.1', port: 9444, path: '/haproxy_ready' };

function trackFile(): { readonly path: string; readonly writer: TrackWriter; readonly events: string[] } {
  const dir = testFolder();
  const path = join(dir, 'api.track');
  const events: string[] = [];
  const observers = {
    log: ({ event }: { readonly event: string }) => void events.push(event),
    once: createOnce(),
  };
  return { path, writer: createTrackWriter({ kind: 'api', trackFile: path, url }, observers), events };
}

test('the value replaces the complete content of the file, in place', () => {
  const { path, writer } = trackFile();
  writeFileSync(path, '-254 and much more\n# of another program\n');
  const { ino } = statSync(path);
  for (const value of [30, -254, 0, -30]) {
    writer.write(value, admitted, () => '');
    expect(readTrackValue(path)).toBe(value);
    expect(readFileSync(path, 'utf8').trim()).toBe(String(value));
  }
  expect(statSync(path).ino).toBe(ino);
});

const READS = 20_000;
/** A few hundred writes per read: by then, reading has stopped. */
const MOST_ROUNDS = 5_000_000;

/** Reads in a loop until there are enough readings, and posts them. */
const reader = `
const { readFileSync } = require('node:fs');
const { parentPort, workerData } = require('node:worker_threads');
const seen = new Set();
const read = () => seen.add(readFileSync(workerData.path, 'utf8').trim());
for (let count = 0; count < workerData.reads; count += 1) read();
parentPort.postMessage([...seen]);`;

test('a concurrent reader reads the old or the new value, and never an empty file', async () => {
  const { path, writer } = trackFile();
  writer.write(-254, admitted, () => '');
  const worker = new Worker(reader, { eval: true, workerData: { path, reads: READS } });
  onTestFinished(() => void worker.terminate());
  const { promise, resolve } = Promise.withResolvers<readonly string[]>();
  worker.once('message', resolve);
  let seen: readonly string[] | undefined;
  void promise.then((values) => {
    seen = values;
  });
  for (let round = 0; seen === undefined && round < MOST_ROUNDS; round += 1) {
    writer.write(round % 2 === 0 ? 30 : -254, admitted, () => '');
    if (round % 100 === 0) await new Promise((done) => setImmediate(done));
  }
  expect(['-254', '30']).toEqual(expect.arrayContaining([...(seen ?? ['nothing in time'])]));
});

test.each([
  ['deleted', (path: string) => rmSync(path)],
  ['emptied', (path: string) => writeFileSync(path, '')],
  ['overwritten with garbage', (path: string) => writeFileSync(path, '\0\0\0\0')],
])('a file that was %s is restored at the next check', (_what, damage) => {
  const { path, writer, events } = trackFile();
  writer.write(30, admitted, () => '');
  damage(path);
  writer.write(30, admitted, () => '');
  expect(readTrackValue(path)).toBe(30);
  expect(events).toEqual(['track-value-changed']);
});

test("the supervisor's value is kept while the monitor waits, unless it is FAULT", () => {
  const waiting = { before: 'nothing', state: 'waiting', until: 1 } as const;
  const { path, writer } = trackFile();
  writeFileSync(path, '-60\n');
  writer.write(-254, waiting, () => '');
  expect(readTrackValue(path)).toBe(-60);
  expect(readParticipationNote(path)).toBeUndefined();
  writer.write(-254, { ...waiting, state: 'out' }, () => '');
  expect(readTrackValue(path)).toBe(-254);
  writeFileSync(path, '-60\n');
  writer.write(-254, waiting, () => '');
  expect(readTrackValue(path)).toBe(-254);
});

test("a removed node is put into FAULT at once, whatever the supervisor's value", () => {
  const { path, writer } = trackFile();
  writeFileSync(path, '-60\n');
  writer.write(-254, { before: 'removed', state: 'waiting', until: null }, () => '');
  expect(readTrackValue(path)).toBe(-254);
});

test('the note contains the decision, the value and the URL to poll', () => {
  const { path, writer } = trackFile();
  writer.write(30, admitted, () => '');
  const healthUrl = 'http://127.0.0.1:9444/haproxy_ready';
  expect(readParticipationNote(path)).toEqual({ ...admitted, value: 30, healthUrl });
});

test("the supervisor's value is kept until the next refresh", () => {
  const { path, writer } = trackFile();
  writer.write(30, admitted, () => '');
  writeFileSync(path, '0\n');
  writer.write(30, admitted, () => '');
  expect(readTrackValue(path)).toBe(0);
});

test('a failed write is not reported as written, and is retried at the next check', () => {
  const { path, writer, events } = trackFile();
  rmSync(join(path, '..'), { recursive: true });
  writer.write(0, admitted, () => '');
  writer.write(30, admitted, () => '');
  expect(events).toEqual(['track-file-not-written']);
  expect(writer.written()).toBeUndefined();

  mkdirSync(join(path, '..'));
  writer.write(30, admitted, () => '');
  expect(readTrackValue(path)).toBe(30);
  expect(events).toEqual(['track-file-not-written', 'track-value-changed']);
});

test('a write that fails again after a success is logged again', () => {
  const { path, writer, events } = trackFile();
  for (const value of [0, 30]) {
    rmSync(join(path, '..'), { recursive: true });
    writer.write(value, admitted, () => '');
    mkdirSync(join(path, '..'));
    writer.write(value, admitted, () => '');
  }
  expect(events).toEqual([
    'track-file-not-written',
    'track-value-changed',
    'track-file-not-written',
    'track-value-changed',
  ]);
});
