import { execFileSync } from 'node:child_process';
import { chownSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { journalPath, listJournalFiles } from '../../../../../src/engine/observe/journal/journal-files.ts';
import { openJournalWriter } from '../../../../../src/engine/observe/journal/journal-writer.ts';
import { scanJournal } from '../../../../../src/engine/observe/journal/read-journal.ts';
import { testFolder } from '../../../../helpers/test-folder.ts';

// HAProxy's user can write to the journals' folder (docs/internals/decisions/0026). What it creates there must not affect other files.
let dir: string;
let victim: string;
beforeEach(() => {
  dir = testFolder();
  victim = join(dir, 'victim');
  writeFileSync(victim, `${JSON.stringify(foreignLine)}\nhalf a line`);
});
const program = 'keepalived-monitor';
const foreignLine = {
  v: 1,
  seq: 1,
  at: new Date().toISOString(),
  node: 'cp-1',
  program,
  kind: 'vip',
  event: 'vrrp-transition',
  subject: 'foreign',
};
const path = (seq: number) => journalPath(dir, program, seq);
const victimBefore = () => `${JSON.stringify(foreignLine)}\nhalf a line`;
/** The lines that readers get. Everything but regular files is ignored. */
const subjects = () =>
  [...scanJournal(listJournalFiles(dir))].flatMap((item) =>
    item.kind === 'line' ? [item.line.subject] : [],
  );

function write(count = 1): void {
  const writer = openJournalWriter(dir, { program, node: 'cp-1' }, { fileBytes: 500, files: 3 });
  for (let n = 0; n < count; n += 1)
    writer.append({ kind: 'vip', event: 'vrrp-transition', subject: String(n) });
  writer.close();
}

const plant = {
  'a link to another file': (at: string) => symlinkSync(victim, at),
  'a link to nothing': (at: string) => symlinkSync(join(dir, 'nothing'), at),
  'a FIFO': (at: string) => void execFileSync('mkfifo', [at]),
  "another user's file": (at: string) => {
    writeFileSync(at, '');
    chownSync(at, 65_534, 65_534);
  },
} as const;

for (const [what, put] of Object.entries(plant)) {
  test(`${what} at the path of the first file does not receive the journal`, () => {
    put(path(1));
    write();
    expect(subjects()).toEqual(['0']);
    expect(readFileSync(victim, 'utf8')).toBe(victimBefore());
  });

  test(`${what} with a later number does not receive the journal`, () => {
    write();
    put(path(900));
    write();
    expect(subjects()).toEqual(['0', '0']);
    expect(readFileSync(victim, 'utf8')).toBe(victimBefore());
  });

  test(`${what} at the path of the next file does not stop the journal`, () => {
    for (let seq = 2; seq < 12; seq += 1) put(path(seq));
    write(10);
    expect(subjects().at(-1)).toBe('9');
    expect(readFileSync(victim, 'utf8')).toBe(victimBefore());
  });
}

test('no reader follows a link or blocks on a FIFO', () => {
  plant['a link to another file'](path(1));
  plant['a FIFO'](path(2));
  expect(subjects()).toEqual([]);
});
