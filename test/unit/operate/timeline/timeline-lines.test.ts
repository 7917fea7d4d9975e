import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allJournals } from '../../../../src/commands/journal-words.ts';
import { type JournalLine, journalKinds } from '../../../../src/engine/observe/journal/journal-line.ts';
import type { JournalItem } from '../../../../src/engine/observe/journal/read-journal.ts';
import { inOrder } from '../../../../src/operate/timeline/collect.ts';
import { openRange, timelineReport } from '../../../../src/operate/timeline/report.ts';
import { timelineLines } from '../../../../src/operate/timeline/timeline-lines.ts';
import { anyText } from '../../../helpers/any-text.ts';
import { lineAt, momentsOf } from '../../../helpers/timeline-lines.ts';

const plain = { colours: false, utc: true, words: allJournals };

/** The printed lines, with one journal for each list. */
function shown(journals: readonly (readonly JournalItem[])[], look = plain, leftOut = 0): readonly string[] {
  const moments = inOrder(journals.flatMap((items, journal) => momentsOf(journal, items)));
  const readings = journals.map((items) => ({
    directory: '/j',
    program: 'keepalived-supervisor',
    lines: items.length,
    unread: [],
    first: null,
    last: null,
    node: items.flatMap((item) => (item.kind === 'line' ? [item.line.node] : [])).at(-1) ?? null,
    faults: items.flatMap((item) => (item.kind === 'fault' ? [item.fault] : [])),
    faultCount: items.filter(({ kind }) => kind === 'fault').length,
  }));
  return timelineLines(
    timelineReport(
      { journals: readings, moments, earlier: [], unread: [], leftOut },
      openRange,
      allJournals,
      undefined,
    ),
    look,
  );
}
const said = (...lines: readonly JournalLine[]): readonly JournalItem[] =>
  lines.map((line) => ({ kind: 'line', line }));
const move = lineAt(0, {
  subject: 'API',
  from: 'BACKUP',
  to: 'MASTER',
  reason: 'no advert of a better node',
  facts: { priority: 250 },
});

test('a line shows the time, the event, the subject, the transition and the reason', () => {
  expect(shown([said(move)])).toEqual([
    '2026-01-05, UTC',
    '03:12:00.000 vip         API BACKUP → MASTER: no advert of a better node',
    '                         (priority 250)',
    '',
    '1 entry in this period; the journal is intact',
  ]);
});

test('lines show the node if there are several nodes', () => {
  const lines = shown([said(move), said(lineAt(1, { node: 'cp-2', subject: 'API' }))]);
  expect(lines.slice(1, 4).map((line) => line.slice(0, 22))).toEqual([
    '03:12:00.000 cp-1 vip ',
    `${' '.repeat(22)}`,
    '03:12:00.001 cp-2 vip ',
  ]);
});

test('consecutive equal entries are one line', () => {
  const lag = (ms: number, lagMs: number) =>
    lineAt(ms, { kind: 'health', event: 'cpu-starvation', facts: { lagMs } });
  const lines = shown([said(lag(0, 300), lag(1_000, 310), lag(2_000, 1_500), move, lag(3_000, 320))]);
  expect(lines[1]).toBe('03:12:00.000 health      cpu starvation (lag 300 ms) (3 times, until');
  expect(lines[2]).toBe('                         03:12:02.000)');
  expect(lines.filter((line) => line.includes('cpu starvation'))).toHaveLength(2);
});

test('equal entries of two days are two lines, each below its day', () => {
  const dayMs = 24 * 3_600_000;
  const same = [0, 1, dayMs, dayMs + 1].map((ms) => lineAt(ms, { subject: 'a' }));
  expect(shown([said(...same)]).slice(0, 4)).toEqual([
    '2026-01-05, UTC',
    '03:12:00.000 vip         a (2 times, until 03:12:00.001)',
    '2026-01-06, UTC',
    '03:12:00.000 vip         a (2 times, until 03:12:00.001)',
  ]);
});

test('a fault is shown in its place, and the summary names the broken journal', () => {
  const fault = { path: '/j/a.jsonl', line: 2, problem: 'not a journal line' };
  const lines = shown([[...said(move), { kind: 'fault', fault }, ...said(lineAt(9, { subject: 'later' }))]]);
  expect(lines.slice(3)).toEqual([
    '!!           BROKEN      line 2 of a.jsonl: not a journal line',
    '03:12:00.009 vip         later',
    '',
    '2 entries in this period',
    'BROKEN: keepalived-supervisor of cp-1: line 2 of /j/a.jsonl: not a journal line',
  ]);
});

test('a clock that was set back is reported at the entry', () => {
  const lines = shown([said(lineAt(3_600_000, { subject: 'a' }), lineAt(0, { subject: 'b' }))]);
  expect(lines[2]).toBe('03:12:00.000 vip         b [the clock went back by 60 min]');
  const same = shown([said(...[3_600_000, 0, 1].map((ms) => lineAt(ms, { subject: 'a' })))]);
  expect(same[2]).toMatch(/^03:12:00.000 vip {9}a \(2 times, until 03:12:00.001\) \[the clock went back/);
});

test('omitted lines are reported', () => {
  expect(shown([said(move)], plain, 7).at(-1)).toBe(
    '7 earlier ones left out: narrow the range with --since and --until',
  );
});

test('colours are used only on request', () => {
  expect(shown([said(move)], { ...plain, colours: true }).join()).toContain('\u001b[1;36mvip');
  expect(shown([said(move)]).join()).not.toContain('\u001b');
});

test('property: every line fits 80 columns and contains no control characters', () => {
  const word = anyText({ maxLength: 12 });
  const texts = fc.array(word, { maxLength: 60 }).map((words) => words.join(' '));
  const line = fc.record({
    kind: fc.constantFrom(...journalKinds),
    event: word,
    node: word,
    subject: word,
    from: word,
    to: word,
    reason: texts,
    facts: fc.dictionary(word, fc.oneof(word, fc.double({ noNaN: true, noDefaultInfinity: true }))),
  });
  fc.assert(
    fc.property(fc.array(line, { maxLength: 5 }), (lines) => {
      const out = shown(lines.map((fields, n) => said(lineAt(n, fields))));
      expect(out.filter((each) => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(each))).toEqual([]);
      const words = (each: string) => each.trim().split(' ');
      const tooLong = out.filter((each) => each.length > 80 && words(each).every((one) => one.length < 25));
      expect(tooLong).toEqual([]);
    }),
  );
});
