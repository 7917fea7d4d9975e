import type { DemoEvent, Frame, ShownGeneration } from './scene.ts';

export type Style = 'good' | 'bad' | 'dim' | 'strong';
/** Colours text. Column widths in the view do not include the escape codes. */
export type Paint = (style: Style, text: string) => string;

export const COLUMNS = 80;
const GENERATION_ROWS = 4;
const EVENT_ROWS = 7;

/** The first lines of a live view: its title, the round and the current step. */
export function headLines(title: string, frame: Frame, paint: Paint): readonly string[] {
  const { step, round, elapsedMs } = frame;
  return [
    paint('strong', spread(title, `round ${round}   ${clock(elapsedMs)}`)),
    step === undefined
      ? paint('dim', 'starting')
      : paint('strong', spread(`step ${step.number} of ${step.of}: ${step.title}`, seconds(step.sinceMs))),
  ];
}

export function generationLines({ generations }: Frame, paint: Paint): readonly string[] {
  return [
    paint('dim', generationRow('GENERATION', 'PID', 'STATE', 'AGE', 'SESSIONS').trimEnd()),
    ...fill(
      GENERATION_ROWS,
      generations.map((each) => generationLine(each, paint)),
    ),
  ];
}

export function requestLines({ counts, perSecond, slowestMs }: Frame, paint: Paint): readonly string[] {
  const lost = paint(counts.lost === 0 ? 'good' : 'bad', `${counts.lost} lost`);
  return [
    `REQUESTS    ${counts.ok} ok   ${lost}   ${counts.cut} cut with what was killed`,
    `            ${perSecond} new ones a second, slowest of the last 5 s: ${Math.round(slowestMs)} ms`,
  ];
}

/** The last lines of a live view: the events, and how to quit. */
export function footLines({ events }: Frame, paint: Paint): readonly string[] {
  return [
    ...fill(EVENT_ROWS, events.slice(-EVENT_ROWS).map(eventLine)),
    paint('dim', 'Ctrl-C ends it and leaves nothing behind.'),
  ];
}

/** One event as a line. */
export function eventLine({ atMs, text }: DemoEvent): string {
  return `${clock(atMs)}  ${text}`.slice(0, COLUMNS);
}

function generationLine(each: ShownGeneration, paint: Paint): string {
  const sessions = each.sessions === undefined ? '?' : String(each.sessions);
  const columns = generationRow(
    String(each.number),
    String(each.pid),
    each.state,
    seconds(each.ageMs),
    sessions,
  );
  const line = `${columns} ${each.note}`.trimEnd().slice(0, COLUMNS);
  return paint(each.state === 'serving' ? 'good' : 'dim', line);
}

function generationRow(number: string, pid: string, state: string, age: string, sessions: string): string {
  return row([number, 11], [pid, 8], [state, 9], [age, 8], [sessions, 8]);
}

/** Always `rows` lines. If there are too many, the last line says how many are missing. */
export function fill(rows: number, lines: readonly string[]): readonly string[] {
  if (lines.length > rows) return [...lines.slice(0, rows - 1), `... and ${lines.length - rows + 1} more`];
  return [...lines, ...Array.from({ length: rows - lines.length }, () => '')];
}

/** Cells of these widths, one space apart, cut to the width of the view. */
export function row(...cells: readonly (readonly [text: string, width: number])[]): string {
  const padded = cells.map(([text, width]) => text.slice(0, width).padEnd(width));
  return padded.join(' ').slice(0, COLUMNS);
}

function spread(left: string, right: string): string {
  const room = COLUMNS - right.length - 2;
  return `${left.slice(0, room).padEnd(room)}  ${right}`;
}

export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

function clock(ms: number): string {
  const total = Math.floor(ms / 1_000);
  return `${String(Math.floor(total / 60)).padStart(2, '0')}:${String(total % 60).padStart(2, '0')}`;
}
