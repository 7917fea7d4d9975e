import { appendFileSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { receiveJournal } from '../../../../../src/engine/observe/journal/receive-journal.ts';
import { journalParts } from '../../../../../src/engine/observe/journal/send-journal.ts';
import { runCommand } from '../../../../../src/engine/system/process/run-command.ts';
import { collectJournals } from '../../../../../src/operate/timeline/collect.ts';
import { openRange } from '../../../../../src/operate/timeline/report.ts';
import { type JournalDirectory, journalDirectory, moves } from '../../../../helpers/journal-directory.ts';

const AT = 'https://10.0.0.12:29450/journal';
const supervisor = 'keepalived-supervisor';

async function sent({ path }: JournalDirectory, range = openRange, mostBytes?: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of journalParts(path, range, mostBytes)) parts.push(part);
  return Buffer.concat(parts);
}

function received(body: Buffer) {
  const outcome = receiveJournal(body, AT);
  if (outcome.kind === 'problem') throw new Error(outcome.problem);
  return outcome.files;
}

async function fetched(directory: JournalDirectory) {
  return collectJournals([], openRange, 1_000, [{ from: AT, files: received(await sent(directory)) }]);
}

test('what another node has sent tells the same as its directory', async () => {
  const directory = journalDirectory();
  directory.tell(supervisor, moves(30));
  directory.tell('haproxy-monitor', [{ event: 'monitor-started' }]);
  const there = collectJournals([directory.path], openRange, 1_000);
  const here = await fetched(directory);
  expect(here.moments).toEqual(there.moments);
  expect(here.journals).toEqual(there.journals.map((journal) => ({ ...journal, directory: AT })));
  expect(here.journals).toMatchObject([
    { lines: 1, faultCount: 0 },
    { lines: 30, faultCount: 0 },
  ]);
});

test('a line that was taken out or cut on the other node shows here, with where it stands', async () => {
  const directory = journalDirectory();
  directory.tell(supervisor, moves(4));
  directory.tamper(supervisor, (lines) => lines.toSpliced(1, 1));
  appendFileSync(directory.files(supervisor)[0] ?? '', '{"v":1,"seq":5,');
  expect((await fetched(directory)).journals[0]?.faults).toEqual([
    {
      path: `${AT}/${supervisor}.000000000001.jsonl`,
      line: 2,
      problem: 'its number is 3, expected 2, 1 missing before it',
    },
    { path: `${AT}/${supervisor}.000000000001.jsonl`, line: 4, problem: 'it is only half written' },
  ]);
});

test('only files that may have something of the range are sent', async () => {
  const directory = journalDirectory();
  directory.tell(supervisor, moves(20));
  const files = directory.files(supervisor);
  expect(files.length).toBeGreaterThan(2);
  const old = new Date(Date.now() - 7 * 86_400_000);
  utimesSync(files[0] ?? '', old, old);
  const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
  const names = async (range: typeof openRange) =>
    received(await sent(directory, range)).map(({ path }) => basename(path));
  expect(await names({ since: hourAgo, until: '~' })).toEqual(files.slice(1).map((file) => basename(file)));
  expect(await names({ since: '', until: hourAgo })).toEqual([]);
});

test("a file's own time may lie a tick of the kernel before the lines in it", async () => {
  const directory = journalDirectory();
  directory.tell(supervisor, moves(1));
  const since = Date.now();
  const [file = ''] = directory.files(supervisor);
  const filesSince = async (stampMs: number) => {
    utimesSync(file, stampMs / 1_000, stampMs / 1_000);
    const range = { since: new Date(since).toISOString(), until: '~' };
    return received(await sent(directory, range)).length;
  };
  expect(await filesSince(since - 5)).toBe(1);
  expect(await filesSince(since - 1_000)).toBe(0);
});

test('of too much the newest is sent', async () => {
  const directory = journalDirectory();
  directory.tell(supervisor, moves(30));
  const files = directory.files(supervisor);
  for (const [index, file] of files.entries()) utimesSync(file, index, index);
  const twoFiles = files.slice(-2).reduce((sum, file) => sum + readFileSync(file).length, 0);
  const names = received(await sent(directory, openRange, twoFiles)).map(({ path }) => basename(path));
  expect(names).toEqual(files.slice(-2).map((file) => basename(file)));
});

test('what is no journal is not sent: other names, folders, a FIFO, a file of ten megabytes', async () => {
  const directory = journalDirectory();
  directory.tell(supervisor, moves(1));
  writeFileSync(join(directory.path, 'secret.key'), 'secret');
  mkdirSync(join(directory.path, 'a.000000000001.jsonl'));
  await runCommand(['mkfifo', join(directory.path, 'b.000000000001.jsonl')], { timeoutMs: 10_000 });
  writeFileSync(join(directory.path, 'c.000000000001.jsonl'), 'x'.repeat(10_000_000));
  expect(received(await sent(directory)).map(({ program }) => program)).toEqual([supervisor]);
});

test('a directory that is not there is an error before anything is sent', async () => {
  const directory = journalDirectory();
  rmSync(directory.path, { recursive: true });
  await expect(journalParts(directory.path, openRange).next()).rejects.toThrow('ENOENT');
});

test.each([
  ['no head', 'x'],
  ['a head without an end', '{"file":"a.000000000001.jsonl","bytes":1}'],
  ['more bytes than there are', '{"file":"a.000000000001.jsonl","bytes":5}\nabcd'],
  ['a negative number of bytes', '{"file":"a.000000000001.jsonl","bytes":-1}\n'],
  ['a head of a kilobyte', `{"file":"a.000000000001.jsonl",${' '.repeat(1_000)}"bytes":0}\n`],
])('%s is a problem', (_, text) => {
  expect(receiveJournal(Buffer.from(text), AT)).toEqual({
    kind: 'problem',
    problem: 'its journal cannot be understood after 0 bytes',
  });
});

test('a name that leads elsewhere is no journal', () => {
  const body = Buffer.from('{"file":"../../etc/a.000000000001.jsonl","bytes":1}\nx');
  expect(received(body)).toEqual([]);
});

test('property: whatever is sent, it is a journal or a problem', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
      expect(['journal', 'problem']).toContain(receiveJournal(Buffer.from(bytes), AT).kind);
    }),
  );
});
