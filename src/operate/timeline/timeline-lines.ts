import { basename } from 'node:path';
import { durationText, printable } from '../../engine/system/text/readable-text.ts';
import { wrapText } from '../../engine/system/text/wrap-text.ts';
import type { JournalWords } from './journal-words.ts';
import type { TimelineEntry, TimelineFault, TimelineReport } from './report.ts';

type Journal = TimelineReport['journals'][number];

interface Style {
  readonly colours: boolean;
  readonly utc: boolean;
  readonly words: JournalWords;
}

const WIDTH = 80;
const KIND_WIDTH = 11;
const TIME_WIDTH = 12;
const MOST_NODE_WIDTH = 12;
/** Longer texts are cut; `--json` has the complete text. */
const MOST_LINES = 4;

const BOLD = '1';
const DIM = '2';
const COLOURS: Readonly<Record<TimelineEntry['kind'] | 'fault', string>> = {
  vip: '1;36',
  'split-brain': '1;31',
  rejected: '31',
  repair: '33',
  health: '33',
  journal: '35',
  reload: '32',
  servers: '34',
  group: '34',
  process: '90',
  steering: '1;34',
  fault: '1;31',
};

/** The timeline as text, 80 columns wide: a headline for each day, and at least one line for each entry. */
export function timelineLines(report: TimelineReport, style: Style): readonly string[] {
  const nodes = new Set(report.journals.flatMap(({ node }) => node ?? []));
  const longest = Math.max(...[...nodes].map(({ length }) => length));
  const nodeWidth = nodes.size < 2 ? 0 : Math.min(MOST_NODE_WIDTH, longest) + 1;
  let day = '';
  const rows = foldRepeats(report.entries, style.utc).flatMap((row) => {
    if (row.kind === 'fault') return rowLines(row, nodeWidth, style);
    const shown = localTime(row.entry.at, style.utc).day;
    const headline = shown === day ? [] : [paint(shown, BOLD, style)];
    day = shown;
    return [...headline, ...rowLines(row, nodeWidth, style)];
  });
  return [...rows, ...(rows.length > 0 ? [''] : []), ...footer(report)];
}

function rowLines(row: Row, nodeWidth: number, style: Style): readonly string[] {
  const indent = TIME_WIDTH + 1 + nodeWidth + KIND_WIDTH + 1;
  const { time, node, kind, text, because } = columnsOf(row, style);
  const width = WIDTH - indent;
  const [first = '', ...more] = bounded(wrapText(text, width), width);
  const behind = because === undefined ? [] : bounded(wrapText(`← ${because}`, width), width);
  const nodeCell = nodeWidth === 0 ? '' : node.slice(0, nodeWidth - 1).padEnd(nodeWidth);
  const kindCell = paint((kind === 'fault' ? 'BROKEN' : kind).padEnd(KIND_WIDTH), COLOURS[kind], style);
  const indented = (line: string): string => `${' '.repeat(indent)}${line}`;
  return [
    `${time} ${nodeCell}${kindCell} ${first}`,
    ...more.map(indented),
    ...behind.map((line) => indented(paint(line, DIM, style))),
  ];
}

function bounded(lines: readonly string[], width: number): readonly string[] {
  if (lines.length <= MOST_LINES) return lines;
  return [...lines.slice(0, MOST_LINES - 1), `${lines[MOST_LINES - 1]?.slice(0, width - 2)} …`];
}

function columnsOf(row: Row, style: Style) {
  if (row.kind === 'fault') {
    const { path, line, problem } = row.fault;
    const name = printable(basename(path));
    const text = `${line === null ? name : `line ${line} of ${name}`}: ${printable(problem)}`;
    const node = printable(row.fault.node ?? '');
    return { time: '!!'.padEnd(TIME_WIDTH), node, kind: 'fault', text, because: undefined } as const;
  }
  const { entry, times, lastAt } = row;
  const notes = [
    ...(times === 1 ? [] : [`(${times} times, until ${localTime(lastAt, style.utc).time})`]),
    ...(entry.clockBackMs === 0 ? [] : [`[the clock went back by ${durationText(entry.clockBackMs)}]`]),
    ...(entry.clockOffMs === 0 ? [] : [clockText(entry.clockOffMs)]),
  ];
  const text = [style.words.phraseOf(entry), ...notes].join(' ');
  const { time } = localTime(entry.at, style.utc);
  return { time, node: printable(entry.node), kind: entry.kind, text, because: entry.because ?? undefined };
}

function clockText(offMs: number): string {
  return `[its clock was ${durationText(Math.abs(offMs))} ${offMs > 0 ? 'ahead' : 'behind'}]`;
}

function footer(report: TimelineReport): readonly string[] {
  const { entries, journals, leftOut, unread } = report;
  const count = entries.filter(({ kind }) => kind !== 'fault').length;
  const broken = journals.filter(({ verdict }) => verdict !== 'whole');
  const shown = `${count === 0 ? 'no entries' : count === 1 ? '1 entry' : `${count} entries`} in this period`;
  const all = journals.length === 1 ? 'the journal is intact' : `all ${journals.length} journals are intact`;
  return [
    `${shown}${journals.length > 0 && broken.length === 0 ? `; ${all}` : ''}`,
    ...(leftOut > 0 ? [`${leftOut} earlier ones left out: narrow the range with --since and --until`] : []),
    ...broken.map(troubleText),
    ...unread.map(({ path, problem }) => `cannot tell: ${printable(path)}: ${printable(problem)}`),
  ].flatMap((line) => wrapText(line, WIDTH));
}

/** The journal's first broken line, else the first file that could not be read. */
function troubleText({ program, node, verdict, faults, faultCount, unread }: Journal): string {
  const [fault] = faults;
  const [closed] = unread;
  const first = fault === undefined ? closed : { ...fault, path: `line ${fault.line} of ${fault.path}` };
  const more = (fault === undefined ? unread.length : faultCount) - 1;
  const name = node === null ? program : `${program} of ${node}`;
  const where = `${first?.path}: ${first?.problem}${more > 0 ? ` (and ${more} more)` : ''}`;
  return printable(`${verdict === 'broken' ? 'BROKEN' : 'cannot tell'}: ${name}: ${where}`);
}

function paint(text: string, code: string, { colours }: Style): string {
  return colours ? `\u001b[${code}m${text}\u001b[0m` : text;
}

/** A row of the output: a fault, or an entry with its repetitions. */
type Row =
  | { readonly kind: 'fault'; readonly fault: TimelineFault }
  | {
      readonly kind: 'entry';
      readonly entry: TimelineEntry;
      /** The number of consecutive repetitions, and the time of the last one. */
      readonly times: number;
      readonly lastAt: string;
    };

/** Folds consecutive equal entries of one day into one row, because a row shows only times. */
function foldRepeats(entries: TimelineReport['entries'], isUtc: boolean): readonly Row[] {
  const dayOf = ({ at }: TimelineEntry): string => localTime(at, isUtc).day;
  const rows: Row[] = [];
  for (const entry of entries) {
    const last = rows.at(-1);
    if (entry.kind === 'fault') rows.push({ kind: 'fault', fault: entry });
    else if (last?.kind === 'entry' && isRepeat(last.entry, entry) && dayOf(last.entry) === dayOf(entry))
      rows[rows.length - 1] = { ...last, times: last.times + 1, lastAt: entry.at };
    else rows.push({ kind: 'entry', entry, times: 1, lastAt: entry.at });
  }
  return rows;
}

/** Facts are not compared, because they are measurements that differ each time. */
function isRepeat(a: TimelineEntry, b: TimelineEntry): boolean {
  const fields = ['node', 'program', 'event', 'subject', 'from', 'to', 'reason', 'because'] as const;
  return b.clockBackMs === 0 && fields.every((field) => a[field] === b[field]);
}

/**
 * Converts a time to the time zone of this process, with the daylight saving of that day, or to UTC. Returns the texts that are
 * printed: `2026-11-21, UTC+01:00` and `03:12:04.120`.
 */
export function localTime(at: string, isUtc: boolean): { readonly day: string; readonly time: string } {
  const date = new Date(at);
  const offset = isUtc ? 0 : -date.getTimezoneOffset();
  const [day = '', time = ''] = new Date(date.getTime() + offset * 60_000).toISOString().split('T');
  return { day: `${day}, UTC${isUtc ? '' : zoneText(offset)}`, time: time.slice(0, 12) };
}

function zoneText(minutes: number): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const ahead = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(ahead / 60)}:${two(ahead % 60)}`;
}
