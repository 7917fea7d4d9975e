import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allJournals } from '../../../../src/commands/journal-words.ts';
import { createRecentEntries, type RecentEntries } from '../../../../src/operate/timeline/recent.ts';
import { journalDirectory, moves } from '../../../helpers/journal-directory.ts';

const supervisor = 'keepalived-supervisor';
const monitor = 'keepalived-monitor';
const always = '2000-01-01T00:00:00.000Z';
const subjects = ({ entries }: RecentEntries) => entries.map(({ subject }) => subject);

test('asked again it gives what was written meanwhile too, of every program and file', () => {
  const directory = journalDirectory();
  directory.tell(supervisor, moves(2));
  const recent = createRecentEntries([directory.path], 100, allJournals);
  expect(subjects(recent(always))).toEqual(['API0', 'API1']);
  directory.tell(supervisor, moves(20));
  directory.tell(monitor, [{ event: 'health-told', kind: 'api', before: 0, value: 30, why: 'holder' }]);
  expect(directory.files(supervisor).length).toBeGreaterThan(2);
  expect(subjects(recent(always))).toHaveLength(23);
  expect(subjects(recent(always))).toContain('api');
});

test('what was read is not read again: only what was added is looked at', () => {
  const directory = journalDirectory();
  directory.tell(supervisor, moves(2));
  const recent = createRecentEntries([directory.path], 100, allJournals);
  recent(always);
  const [file = ''] = directory.files(supervisor);
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replaceAll('API', 'NEW'));
  directory.tell(supervisor, [...moves(3)].slice(2));
  expect(subjects(recent(always))).toEqual(['API0', 'API1', 'API2']);
});

test('a line that is being written is left for the next time', () => {
  const directory = journalDirectory();
  directory.tell(supervisor, moves(2));
  const [file = ''] = directory.files(supervisor);
  const whole = readFileSync(file);
  truncateSync(file, whole.length - 30);
  const recent = createRecentEntries([directory.path], 100, allJournals);
  expect(subjects(recent(always))).toEqual(['API0']);
  appendFileSync(file, whole.subarray(-30));
  expect(subjects(recent(always))).toEqual(['API0', 'API1']);
});

test('a journal that was made anew is read from its beginning', () => {
  const directory = journalDirectory();
  directory.tell(supervisor, moves(5));
  const recent = createRecentEntries([directory.path], 100, allJournals);
  recent(always);
  for (const file of directory.files(supervisor)) rmSync(file);
  directory.tell(supervisor, moves(1));
  expect(subjects(recent(always))).toEqual(['API0']);
});

test('what is older than asked for is not among them, whether it was read before or not', () => {
  const directory = journalDirectory();
  directory.tell(supervisor, moves(3));
  const recent = createRecentEntries([directory.path], 100, allJournals);
  expect(recent(always).entries).toHaveLength(3);
  const later = new Date(Date.now() + 60_000).toISOString();
  expect(recent(later)).toEqual({ entries: [], isCut: false, problems: [] });
});

test("a file's own time may lie a tick of the kernel before the lines in it", () => {
  const directory = journalDirectory();
  directory.tell(supervisor, moves(1));
  const [file = ''] = directory.files(supervisor);
  const written = createRecentEntries([directory.path], 100, allJournals)(always).entries[0]?.at ?? '';
  const stamp = (Date.parse(written) - 5) / 1_000;
  utimesSync(file, stamp, stamp);
  expect(createRecentEntries([directory.path], 100, allJournals)(written).entries).toHaveLength(1);
});

test('of 10,000 entries the newest are kept, and that there were more is said', () => {
  const directory = journalDirectory();
  directory.fill([supervisor]);
  const recent = createRecentEntries([directory.path], 500, allJournals);
  const first = recent(always);
  expect(subjects(first)).toHaveLength(500);
  expect(subjects(first).at(-1)).toBe('API11999');
  expect(first.isCut).toBe(true);
  expect(createRecentEntries([directory.path], 20_000, allJournals)(always).isCut).toBe(false);
});

test('two copies of a journal are one, and the cause of a move is found', () => {
  const directory = journalDirectory();
  directory.tell(monitor, [{ event: 'health-told', kind: 'api', before: 30, value: -254, why: 'no answer' }]);
  const move = { event: 'vrrp-transition', instance: 'API', from: 'MASTER', to: 'FAULT', reason: 'x' };
  directory.tell(supervisor, [move]);
  const { entries } = createRecentEntries([directory.path, `${directory.path}/`], 100, allJournals)(always);
  expect(entries).toHaveLength(2);
  expect(entries[1]?.because).toContain('no answer');
});

test('what cannot be read is told, and the rest is given', () => {
  const directory = journalDirectory();
  directory.tell(supervisor, moves(1));
  mkdirSync(join(directory.path, 'haproxy-monitor.000000000001.jsonl'));
  const read = createRecentEntries([directory.path, '/nowhere', '/dev/null'], 100, allJournals)(always);
  expect(subjects(read)).toEqual(['API0']);
  expect(read.problems).toEqual([
    '/nowhere: there is no journal',
    expect.stringContaining('/dev/null: ENOTDIR'),
    expect.stringContaining('haproxy-monitor.000000000001.jsonl: it is no journal'),
  ]);
});
