import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openJournalWriter } from '../../../../../src/engine/observe/journal/journal-writer.ts';
import { readJournals } from '../../../../../src/engine/observe/journal/read-journal.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hawser-journal-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const limits = { fileBytes: 2_000, files: 3 };
const open = (program = 'haproxy-monitor') => openJournalWriter(dir, { program, node: 'cp-1' }, limits);
/** Writes entries with these subjects, and closes the journal as the end of a process does. */
function write(...subjects: readonly (string | number)[]): void {
  const writer = open();
  for (const subject of subjects)
    writer.append({ kind: 'vip', event: 'vrrp-transition', subject: String(subject) });
  writer.close();
}
function read() {
  const [chain, ...more] = readJournals(dir);
  if (chain === undefined || more.length > 0) throw new Error('expected one journal');
  return chain;
}
const subjects = () => read().lines.map(({ subject }) => subject);
const files = () => readdirSync(dir).sort();
const fileOf = (index: number) => join(dir, files().at(index) ?? '');
const change = (path: string, line: number, to: (text: string) => string) => {
  const lines = readFileSync(path, 'utf8').split('\n');
  lines[line - 1] = to(lines[line - 1] ?? '');
  writeFileSync(path, lines.join('\n'));
};

test('the chain goes on through restarts', () => {
  write('a', 'b');
  write('c');
  const { lines, faults } = read();
  expect(lines.map(({ seq, subject, node }) => `${seq} ${subject} ${node}`)).toEqual([
    '1 a cp-1',
    '2 b cp-1',
    '3 c cp-1',
  ]);
  expect(faults).toEqual([]);
});

test('the chain goes on through files, and old ones go', () => {
  for (let round = 0; round < 10; round += 1) write(...Array.from({ length: 10 }, (_, n) => round * 10 + n));
  expect(files().length).toBe(3);
  for (const name of files()) expect(statSync(join(dir, name)).size).toBeLessThan(2_000 + 500);
  const { lines, faults } = read();
  expect(faults).toEqual([]);
  expect(lines.at(-1)).toMatchObject({ seq: 100, subject: '99' });
  expect(lines[0]?.seq).toBeGreaterThan(60);
});

test('a rotation that a crash left with an empty file goes on in it', () => {
  write('a');
  writeFileSync(join(dir, 'haproxy-monitor.000000000002.jsonl'), '');
  write('b');
  expect(read()).toMatchObject({ lines: [{ seq: 1 }, { seq: 2, subject: 'b' }], faults: [] });
  expect(files()).toHaveLength(2);
});

test.each([
  ['cut in the middle', '{"v":1,"seq":3,"at":'],
  ['cut in the middle of a character', Buffer.from('{"v":1,"reason":"é').subarray(0, -1)],
])('a last line that was %s is cut off, and that is told', (_, half) => {
  write('a', 'b');
  appendFileSync(fileOf(0), half);
  write('c');
  expect(read().faults).toEqual([]);
  expect(read().lines.slice(2)).toMatchObject([
    { event: 'journal-repaired', reason: expect.stringContaining(`${half.length} bytes were cut off`) },
    { subject: 'c' },
  ]);
});

test('a foreign last line stays as evidence, and the journal goes on', () => {
  write('a');
  appendFileSync(fileOf(0), 'what is this\n');
  write('b');
  const { lines, faults } = read();
  expect(lines.map(({ seq, event }) => `${seq} ${event}`)).toEqual([
    '1 vrrp-transition',
    '3 journal-repaired',
    '4 vrrp-transition',
  ]);
  expect(faults).toEqual([{ path: fileOf(0), line: 2, problem: 'it is no line of a journal' }]);
});

test('a line that was changed afterwards is named', () => {
  write('a', 'b', 'c', 'd');
  change(fileOf(0), 2, (line) => line.replace('"b"', '"x"'));
  expect(read().faults).toEqual([
    { path: fileOf(0), line: 2, problem: 'it is not what it was when the next line was written' },
  ]);
});

test('the last line of a file is held by the first one of the next', () => {
  write(...Array.from({ length: 15 }, (_, n) => n));
  const last = readFileSync(fileOf(0), 'utf8').split('\n').length - 1;
  change(fileOf(0), last, (line) => line.replace('"node":"cp-1"', '"node":"cp-2"'));
  expect(read().faults).toEqual([
    { path: fileOf(0), line: last, problem: 'it is not what it was when the next line was written' },
  ]);
});

test('a line that was taken out leaves a gap where it was', () => {
  write('a', 'b', 'c');
  const kept = readFileSync(fileOf(0), 'utf8').split('\n');
  writeFileSync(fileOf(0), kept.toSpliced(1, 1).join('\n'));
  expect(subjects()).toEqual(['a', 'c']);
  expect(read().faults).toEqual([
    { path: fileOf(0), line: 2, problem: 'its number is 3, expected 2, 1 missing before it' },
  ]);
});

test('a first line that names one before it has not always been the first', () => {
  write('a', 'b');
  change(fileOf(0), 1, (line) => line.replace('"prev":"0', '"prev":"1'));
  expect(read().faults.map(({ line }) => line)).toEqual([1, 1]);
});

test('a writer that finds its file changed behind its back writes nothing more', () => {
  const writer = open();
  writer.append({ kind: 'vip', event: 'a' });
  appendFileSync(fileOf(0), 'x');
  expect(() => writer.append({ kind: 'vip', event: 'b' })).toThrow(/another program has changed the journal/);
  writer.close();
  expect(readFileSync(fileOf(0), 'utf8').match(/"event":"[ab]"/g)).toHaveLength(1);
});

test('each program has a journal of its own', () => {
  write('a');
  const other = open('keepalived-monitor');
  other.append({ kind: 'process', event: 'monitor-started' });
  other.close();
  expect(readJournals(dir).map(({ program, lines }) => [program, lines.length])).toEqual([
    ['haproxy-monitor', 1],
    ['keepalived-monitor', 1],
  ]);
});
