import type { DemoEvent, Scene, ShownGeneration, ShownServer } from './scene.ts';

export type Style = 'good' | 'bad' | 'dim' | 'strong';
/** Puts a colour around text; the view itself counts columns without it. */
export type Paint = (style: Style, text: string) => string;

export const COLUMNS = 80;
const BAR = 20;
const SERVER_ROWS = 4;
const GENERATION_ROWS = 4;
const EVENT_ROWS = 7;

/** The live view: always the same number of lines, so that nothing jumps, none wider than 80 columns. */
export function renderView(scene: Scene, paint: Paint): readonly string[] {
  const title = 'hawser demo: the Kubernetes API through HAProxy';
  return [
    paint('strong', spread(title, `round ${scene.round}   ${clock(scene.elapsedMs)}`)),
    stepLine(scene, paint),
    '',
    paint('dim', row('API SERVER', 'ADDRESS', 'PROCESS', 'HAPROXY SAYS', 'SHARE OF THE LAST 5 S')),
    ...fill(
      SERVER_ROWS,
      scene.servers.map((server) => serverLine(server, paint)),
    ),
    '',
    paint('dim', `${generationRow('GENERATION', 'PID', 'STATE', 'AGE', 'SESSIONS')}`.trimEnd()),
    ...fill(
      GENERATION_ROWS,
      scene.generations.map((each) => generationLine(each, paint)),
    ),
    '',
    ...requestLines(scene, paint),
    redirectLine(scene, paint),
    `PAGE        ${scene.pageUrl}   the same in a browser, with the last hour`,
    '',
    ...fill(EVENT_ROWS, scene.events.slice(-EVENT_ROWS).map(eventLine)),
    paint('dim', 'Ctrl-C ends it and leaves nothing behind.'),
  ];
}

/** One event as a line of its own, for output that is no terminal. */
export function eventLine({ atMs, text }: DemoEvent): string {
  return `${clock(atMs)}  ${text}`.slice(0, COLUMNS);
}

function stepLine({ step }: Scene, paint: Paint): string {
  if (step === undefined) return paint('dim', 'starting');
  return paint('strong', spread(`step ${step.number} of ${step.of}: ${step.title}`, seconds(step.sinceMs)));
}

function serverLine(server: ShownServer, paint: Paint): string {
  const { name, address, running, status, check, share } = server;
  const says = `${status}${check === '' ? '' : ` ${check}`}`;
  const bar = '#'.repeat(Math.round(share * BAR));
  const percent = `${Math.round(share * 100)} %`.padStart(5);
  const line = row(name, address, running ? 'running' : 'stopped', says, `${percent} ${bar}`);
  return paint(styleOf(status), line);
}

function styleOf(status: string): Style {
  if (status.startsWith('UP')) return 'good';
  return status.startsWith('DOWN') ? 'bad' : 'dim';
}

function row(name: string, address: string, running: string, says: string, share: string): string {
  const cells = [cell(name, 11), cell(address, 17), cell(running, 8), cell(says, 17), share];
  return cells.join(' ').trimEnd().slice(0, COLUMNS);
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
  return [cell(number, 11), cell(pid, 8), cell(state, 9), cell(age, 8), cell(sessions, 8)].join(' ');
}

function requestLines({ counts, perSecond, slowestMs }: Scene, paint: Paint): readonly string[] {
  const lost = paint(counts.lost === 0 ? 'good' : 'bad', `${counts.lost} lost`);
  return [
    `REQUESTS    ${counts.ok} ok   ${lost}   ${counts.cut} cut with what was killed`,
    `            ${perSecond} new ones a second, slowest of the last 5 s: ${Math.round(slowestMs)} ms`,
  ];
}

function redirectLine({ redirect, redirectText }: Scene, paint: Paint): string {
  return `REDIRECT    ${redirectText}   ${redirect ? paint('good', 'present') : paint('bad', 'absent')}`;
}

/** Always `rows` lines; of too many, the last say how many are missing. */
function fill(rows: number, lines: readonly string[]): readonly string[] {
  if (lines.length > rows) return [...lines.slice(0, rows - 1), `... and ${lines.length - rows + 1} more`];
  return [...lines, ...Array.from({ length: rows - lines.length }, () => '')];
}

function cell(text: string, width: number): string {
  return text.slice(0, width).padEnd(width);
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
