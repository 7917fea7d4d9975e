import { sleep } from '../../engine/system/time/sleep.ts';

const REFRESH_MS = 1_000;
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const HOME = '\u001b[H';
const TO_END_OF_LINE = '\u001b[K';
const TO_END_OF_SCREEN = '\u001b[J';

/** The output: a terminal, which is redrawn, or any other stream. */
export interface Screen {
  readonly isTTY?: boolean | undefined;
  readonly rows?: number | undefined;
  readonly write: (text: string) => unknown;
}

/**
 * Prints the lines of `collect` every second until `signal` aborts. On a terminal they are redrawn in place and cut to the
 * terminal's height; on other outputs each block follows the previous one.
 */
export async function watch(
  collect: () => Promise<readonly string[]>,
  screen: Screen,
  signal: AbortSignal,
  pause = sleep,
): Promise<void> {
  if (screen.isTTY) screen.write(`${HIDE_CURSOR}${HOME}${TO_END_OF_SCREEN}`);
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const lines = await collect();
    if (signal.aborted) break;
    screen.write(screen.isTTY ? picture(lines, screen.rows) : `${isFirst ? '' : '\n'}${lines.join('\n')}\n`);
    await pause(REFRESH_MS, signal);
  }
  if (screen.isTTY) screen.write(SHOW_CURSOR);
}

/** Draws over the previous picture without clearing it, which would flicker. */
function picture(lines: readonly string[], rows = 24): string {
  const room = Math.max(2, rows - 1);
  const left = lines.length - (room - 1);
  const shown =
    lines.length <= room ? lines : [...lines.slice(0, room - 1), `… ${left} more lines: hawser status`];
  return `${HOME}${shown.map((line) => `${line}${TO_END_OF_LINE}\n`).join('')}${TO_END_OF_SCREEN}`;
}
