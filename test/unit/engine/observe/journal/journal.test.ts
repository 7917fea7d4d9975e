import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { withJournal } from '../../../../../src/engine/observe/journal/journal.ts';
import { journalEntryOf } from '../../../../../src/engine/observe/journal/journal-events.ts';
import { parseJournalLine } from '../../../../../src/engine/observe/journal/journal-line.ts';
import type { LogEvent } from '../../../../../src/engine/system/log.ts';
import { runCommand } from '../../../../../src/engine/system/process/run-command.ts';
import { vipEvents } from '../../../../../src/vip/journal/vip-events.ts';
import { anyText } from '../../../../helpers/any-text.ts';
import { readJournals } from '../../../../helpers/read-journals.ts';
import { cleanUpAfterDeath } from '../../../../helpers/survivor.ts';
import { testFolder } from '../../../../helpers/test-folder.ts';

const asRoot = test.runIf(process.getuid?.() === 0);
let dir: string;
let logged: LogEvent[];
let nowMs: number;
beforeEach(() => {
  dir = testFolder();
  logged = [];
  nowMs = 0;
});
const log = (event: LogEvent): void => void logged.push(event);
const journal = (directory = join(dir, 'journal'), fileBytes = 100_000) => {
  const limits = { fileBytes, files: 3 };
  return withJournal(log, {
    directory,
    program: 'keepalived-supervisor',
    node: 'cp-1',
    events: vipEvents,
    limits,
    nowMs: () => nowMs,
  });
};
const move: LogEvent = {
  event: 'vrrp-transition',
  instance: 'API',
  from: 'BACKUP',
  to: 'MASTER',
  priority: 250,
  reason: 'no advert',
};
const told = (prefix: string) => logged.filter(({ event }) => event.startsWith(prefix));

test("the journal keeps a VIP's holder, origin, target and reason; the log has everything", async () => {
  const tell = await journal();
  tell({ event: 'servers-observed', servers: ['a'] });
  tell(move);
  expect(logged).toHaveLength(2);
  expect(readJournals(join(dir, 'journal'))).toMatchObject([
    {
      program: 'keepalived-supervisor',
      faults: [],
      lines: [
        {
          v: 1,
          seq: 1,
          node: 'cp-1',
          kind: 'vip',
          event: 'vrrp-transition',
          subject: 'API',
          from: 'BACKUP',
          to: 'MASTER',
          reason: 'no advert',
          facts: { priority: 250 },
        },
      ],
    },
  ]);
});

test('property: whatever an event contains, its entry is a valid journal line of limited length', () => {
  const names = fc.constantFrom('vrrp-transition', 'configuration-refused', 'stale-vip-removed');
  const fields = fc.dictionary(
    fc.constantFrom('instance', 'from', 'to', 'reason', 'message', 'removed', 'detail', 'lost', 'priority'),
    fc.oneof(anyText({ maxLength: 3_000 }), fc.anything()),
  );
  fc.assert(
    fc.property(names, fields, (event, rest) => {
      const entry = journalEntryOf(vipEvents, { ...rest, event });
      const at = new Date(0).toISOString();
      const whole = { v: 1, seq: 1, at, node: 'n', program: 'p', ...entry };
      const line = JSON.stringify(whole);
      expect(parseJournalLine(line)).toMatchObject({ event });
      expect(Buffer.byteLength(line)).toBeLessThan(40_000);
    }),
  );
});

test('an event named like a property of every object is not a journal event', () => {
  expect(journalEntryOf(vipEvents, { event: 'toString' })).toBeUndefined();
});

test('a second writer is refused and reported once, and it continues to log', async () => {
  const first = await journal();
  const second = await journal();
  second(move);
  first(move);
  expect(told('journal-')).toEqual([expect.objectContaining({ event: 'journal-refused' })]);
  expect(told('vrrp-')).toHaveLength(2);
  expect(readJournals(join(dir, 'journal'))[0]?.lines).toHaveLength(1);
});

test('a directory that cannot be created is reported once, and so are the recovery and the loss', async () => {
  const blocked = join(dir, 'file');
  writeFileSync(blocked, '');
  const tell = await journal(join(blocked, 'journal'));
  for (let each = 0; each < 5; each += 1) {
    tell(move);
    nowMs += 2_000;
  }
  rmSync(blocked);
  mkdirSync(blocked);
  tell(move);
  tell(move);
  expect(told('journal-').map(({ event, lost }) => [event, lost])).toEqual([
    ['journal-not-written', undefined],
    ['journal-recovered', 5],
  ]);
  expect(readJournals(join(blocked, 'journal'))).toMatchObject([
    { faults: [], lines: [{ event: 'journal-gap', facts: { lost: 5 } }, { seq: 2 }, { seq: 3 }] },
  ]);
});

asRoot('a full disk costs entries and nothing else, and the journal is complete afterwards', async () => {
  const disk = join(dir, 'disk');
  mkdirSync(disk);
  const mounted = await runCommand(['mount', '-t', 'tmpfs', '-o', 'size=64k', 'none', disk], {
    timeoutMs: 10_000,
  });
  expect(mounted.exitCode).toBe(0);
  const survivor = cleanUpAfterDeath('umount --lazy -- "$1"; rm -r -- "$2"', disk, dir);
  try {
    chmodSync(disk, 0o755);
    const tell = await journal(disk);
    const filler = join(disk, 'filler');
    tell(move);
    expect(() => writeFileSync(filler, Buffer.alloc(100_000))).toThrow(/ENOSPC/);
    for (let each = 0; each < 300; each += 1) {
      tell(move);
      nowMs += 100;
    }
    rmSync(filler);
    nowMs += 2_000;
    tell(move);
    expect(told('vrrp-')).toHaveLength(302);
    expect(told('journal-').map(({ event }) => event)).toEqual(['journal-not-written', 'journal-recovered']);
    const [whole] = readJournals(disk);
    expect(whole?.faults).toEqual([]);
    const lost = Number(whole?.lines.find(({ event }) => event === 'journal-gap')?.facts?.['lost']);
    expect(lost).toBeGreaterThan(100);
    expect(whole?.lines.length).toBe(302 - lost + 1);
  } finally {
    survivor.dismiss();
    // Lazy, because the journal stays open until its process ends.
    await runCommand(['umount', '--lazy', disk], { timeoutMs: 10_000 });
  }
});

test("a VIP's other holders are kept with it", () => {
  const holders = [
    { mac: '02:00:00:00:00:02', node: 'cp-2', address: '192.0.2.2' },
    { mac: '02:00:00:00:00:09' },
  ];
  expect(journalEntryOf(vipEvents, { event: 'split-brain', vip: '192.0.2.100', holders })).toMatchObject({
    subject: '192.0.2.100',
    facts: { holders: '02:00:00:00:00:02 cp-2 192.0.2.2, 02:00:00:00:00:09' },
  });
});
