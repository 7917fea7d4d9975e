import { appendFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openJournalWriter } from '../../../../../src/engine/observe/journal/journal-writer.ts';
import { readJournals } from '../../../../helpers/read-journals.ts';
import { testFolder } from '../../../../helpers/test-folder.ts';

let dir: string;
beforeEach(() => {
  dir = testFolder();
});
const limits = { fileBytes: 2_000, files: 3 };
const open = (program = 'haproxy-monitor') => openJournalWriter(dir, { program, node: 'cp-1' }, limits);
/** Writes entries with these subjects and closes the journal, as at the end of a process. */
function write(...subjects: readonly (string | number)[]): void {
  const writer = open();
  for (const subject of subjects)
    writer.append({ kind: 'vip', event: 'vrrp-transition', subject: String(subject) });
  writer.close();
}
function read() {
  const [journal, ...more] = readJournals(dir);
  if (journal === undefined || more.length > 0) throw new Error('expected one journal');
  return journal;
}
const subjects = () => read().lines.map(({ subject }) => subject);
const files = () => readdirSync(dir).sort();
const fileOf = (index: number) => join(dir, files().at(index) ?? '');

test('the numbering continues after a restart', () => {
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

test('the numbering continues in the next file, and old files are removed', () => {
  for (let round = 0; round < 10; round += 1) write(...Array.from({ length: 10 }, (_, n) => round * 10 + n));
  expect(files().length).toBe(3);
  for (const name of files()) expect(statSync(join(dir, name)).size).toBeLessThan(2_000 + 500);
  const { lines, faults } = read();
  expect(faults).toEqual([]);
  expect(lines.at(-1)).toMatchObject({ seq: 100, subject: '99' });
  expect(lines[0]?.seq).toBeGreaterThan(60);
});

test('a writer notices that its file was removed', () => {
  const writer = open();
  const append = () => writer.append({ kind: 'vip', event: 'vrrp-transition' });
  append();
  rmSync(fileOf(0));
  expect(append).toThrow('another program removed the journal');
  writer.close();
});

test('after a crash during rotation, writing continues in the empty file', () => {
  write('a');
  writeFileSync(join(dir, 'haproxy-monitor.000000000002.jsonl'), '');
  write('b');
  expect(read()).toMatchObject({ lines: [{ seq: 1 }, { seq: 2, subject: 'b' }], faults: [] });
  expect(files()).toHaveLength(2);
});

test.each([
  ['cut in the middle', '{"v":1,"seq":3,"at":'],
  ['cut in the middle of a character', Buffer.from('{"v":1,"reason":"é').subarray(0, -1)],
])('a last line that was %s is removed, and the removal is reported', (_, half) => {
  write('a', 'b');
  appendFileSync(fileOf(0), half);
  write('c');
  expect(read().faults).toEqual([]);
  expect(read().lines.slice(2)).toMatchObject([
    { event: 'journal-repaired', reason: expect.stringContaining(`${half.length} bytes were cut off`) },
    { subject: 'c' },
  ]);
});

test('a foreign last line is kept as evidence, and writing continues', () => {
  write('a');
  appendFileSync(fileOf(0), 'what is this\n');
  write('b');
  const { lines, faults } = read();
  expect(lines.map(({ seq, event }) => `${seq} ${event}`)).toEqual([
    '1 vrrp-transition',
    '3 journal-repaired',
    '4 vrrp-transition',
  ]);
  expect(faults).toEqual([{ path: fileOf(0), line: 2, problem: 'not a journal line' }]);
});

test('a journal of an earlier version, with hashes, is read and continued', () => {
  const old = { v: 1, seq: 1, at: new Date().toISOString(), node: 'cp-1', program: 'haproxy-monitor' };
  const line = { ...old, kind: 'vip', event: 'vrrp-transition', subject: 'a', prev: '0'.repeat(64) };
  writeFileSync(join(dir, 'haproxy-monitor.000000000001.jsonl'), `${JSON.stringify(line)}\n`);
  write('b');
  expect(read()).toMatchObject({
    lines: [
      { seq: 1, subject: 'a' },
      { seq: 2, subject: 'b' },
    ],
    faults: [],
  });
  expect(readFileSync(fileOf(0), 'utf8').match(/"prev"/g)).toHaveLength(1);
});

test('a removed line leaves a gap', () => {
  write('a', 'b', 'c');
  const kept = readFileSync(fileOf(0), 'utf8').split('\n');
  writeFileSync(fileOf(0), kept.toSpliced(1, 1).join('\n'));
  expect(subjects()).toEqual(['a', 'c']);
  expect(read().faults).toEqual([
    { path: fileOf(0), line: 2, problem: 'entry 3, expected 2, 1 missing before it' },
  ]);
});

test('a writer whose file was changed by another process stops writing', () => {
  const writer = open();
  writer.append({ kind: 'vip', event: 'a' });
  appendFileSync(fileOf(0), 'x');
  expect(() => writer.append({ kind: 'vip', event: 'b' })).toThrow(/another program changed the journal/);
  writer.close();
  expect(readFileSync(fileOf(0), 'utf8').match(/"event":"[ab]"/g)).toHaveLength(1);
});

test('each program has its own journal', () => {
  write('a');
  const other = open('keepalived-monitor');
  other.append({ kind: 'process', event: 'monitor-started' });
  other.close();
  expect(readJournals(dir).map(({ program, lines }) => [program, lines.length])).toEqual([
    ['haproxy-monitor', 1],
    ['keepalived-monitor', 1],
  ]);
});
