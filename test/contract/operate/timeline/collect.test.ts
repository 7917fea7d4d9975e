import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { journalsIn, scanJournal } from '../../../../src/engine/observe/journal/read-journal.ts';
import { collectJournals } from '../../../../src/operate/timeline/collect.ts';
import { openRange } from '../../../../src/operate/timeline/report.ts';
import { type JournalDirectory, journalDirectory, moves } from '../../../helpers/journal-directory.ts';

const supervisor = 'keepalived-supervisor';
function written(count: number): JournalDirectory {
  const directory = journalDirectory();
  directory.tell(supervisor, moves(count));
  return directory;
}
const collect = ({ path }: JournalDirectory, mostKept = 1_000) =>
  collectJournals([path], openRange, mostKept);
const problems = (directory: JournalDirectory) =>
  collect(directory).journals.flatMap(({ faults }) =>
    faults.map(({ line, problem }) => `${line}: ${problem}`),
  );
const subjects = (collected: ReturnType<typeof collect>) =>
  collected.moments.flatMap(({ item }) => (item.kind === 'line' ? (item.line.subject ?? '') : item.kind));

test('only the newest entries are kept, the rest are counted, and the journal is read completely', () => {
  const collected = collect(written(30), 4);
  expect(subjects(collected)).toEqual(['API26', 'API27', 'API28', 'API29']);
  expect(collected.leftOut).toBe(26);
  expect(collected.journals).toMatchObject([
    { lines: 30, first: { seq: 1 }, last: { seq: 30 }, faultCount: 0 },
  ]);
});

test('missing lines at the start of the oldest file are detected from its name', () => {
  const directory = written(3);
  directory.tamper(supervisor, (lines) => lines.slice(1));
  expect(problems(directory)).toEqual(['1: entry 2, expected 1, 1 missing before it']);
});

test('a missing file in the middle is detected', () => {
  const directory = written(20);
  const [, second = ''] = directory.files(supervisor);
  rmSync(second);
  expect(problems(directory)).toEqual([
    expect.stringMatching(/^1: entry \d+, expected \d+, \d+ missing before it$/),
  ]);
});

test('files that rotation removed are not reported as missing', () => {
  const directory = written(20);
  rmSync(directory.files(supervisor)[0] ?? '');
  expect(problems(directory)).toEqual([]);
});

test('a file that rotation removes between listing and reading is not reported as missing', () => {
  const directory = written(20);
  const journals = journalsIn(directory.path);
  rmSync(directory.files(supervisor)[0] ?? '');
  const items = [...journals.values()].flatMap((files) => [...scanJournal(files)]);
  expect(items.length).toBeGreaterThan(0);
  expect(items.filter(({ kind }) => kind !== 'line')).toEqual([]);
});

test('a truncated last line is reported as incomplete and not shown, even if only its newline is missing', () => {
  const directory = written(3);
  const [file = ''] = directory.files(supervisor);
  truncateSync(file, statSync(file).size - 1);
  expect(problems(directory)).toEqual(['3: incomplete line']);
  expect(subjects(collect(directory))).toEqual(['API0', 'API1', 'fault']);
  truncateSync(file, statSync(file).size - 9);
  expect(problems(directory)).toEqual(['3: incomplete line']);
});

test('a line of another program is reported, even at the end of a journal', () => {
  const directory = written(2);
  directory.tamper(supervisor, (lines) =>
    lines.map((line, n) => (n === 1 ? line.replace(supervisor, 'x') : line)),
  );
  expect(problems(directory)).toEqual([`2: written by program "x", expected "${supervisor}"`]);
});

test('foreign files are ignored', () => {
  const directory = written(1);
  for (const name of ['notes.txt', 'keepalived-supervisor.1.jsonl', 'x.jsonl.gz'])
    writeFileSync(join(directory.path, name), 'x');
  expect(collect(directory).journals).toMatchObject([{ lines: 1, faultCount: 0, unread: [] }]);
});

test('a huge file and anything that is not a file are reported and not read', () => {
  const directory = written(20);
  const [first = '', second = ''] = directory.files(supervisor);
  truncateSync(second, 2 ** 33);
  rmSync(first);
  execFileSync('mkfifo', [first]);
  mkdirSync(join(directory.path, 'haproxy-monitor.000000000001.jsonl'));
  const [folder, journal] = collect(directory).journals;
  expect(folder?.unread).toMatchObject([{ problem: 'not a regular file' }]);
  expect(journal?.unread.map(({ problem }) => problem)).toEqual([
    'not a regular file',
    'it has 8589934592 bytes, expected at most 8388608',
  ]);
  expect(journal).toMatchObject({ faultCount: 0, last: { seq: 20 } });
});

test('of a program with more files than a writer keeps, the newest are read and the others listed', () => {
  const directory = journalDirectory();
  const names = Array.from(
    { length: 18 },
    (_, index) => `router.${String(index + 1).padStart(12, '0')}.jsonl`,
  );
  for (const name of names) writeFileSync(join(directory.path, name), '');
  expect(collect(directory).journals.flatMap(({ unread }) => unread)).toEqual(
    names.slice(0, 2).map((name) => ({
      path: join(directory.path, name),
      problem: 'not among the newest 16 files',
    })),
  );
});

test('a journal that is given twice or copied is shown once', () => {
  const directory = written(3);
  const copy = journalDirectory();
  cpSync(directory.path, copy.path, { recursive: true });
  const collected = collectJournals([directory.path, `${directory.path}/.`, copy.path], openRange, 100);
  expect(subjects(collected)).toEqual(['API0', 'API1', 'API2']);
  expect(collected.journals).toHaveLength(2);
});

test('directories without a journal are reported, and the others are read', () => {
  const empty = journalDirectory();
  const directory = written(1);
  const collected = collectJournals([empty.path, '/nowhere', directory.path, '/dev/null'], openRange, 9);
  expect(collected.unread).toEqual([
    { path: empty.path, problem: 'it contains no journal' },
    { path: '/nowhere', problem: 'there is no such directory' },
    { path: '/dev/null', problem: 'it is no directory' },
  ]);
  expect(subjects(collected)).toEqual(['API0']);
});
