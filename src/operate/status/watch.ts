import { sleep } from '../../engine/system/time/sleep.ts';

const AGAIN_MS = 1_000;
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const HOME = '\u001b[H';
const TO_END_OF_LINE = '\u001b[K';
const TO_END_OF_SCREEN = '\u001b[J';

/** The output that is redrawn: a terminal, or any other stream of text. */
export interface Screen {
  readonly isTTY?: boolean | undefined;
  readonly rows?: number | undefined;
  readonly write: (text: string) => unknown;
}

/**
 * Draws the result of `look` every second until `signal` aborts. On a terminal it stays in place, cut to the terminal's
 * height; elsewhere one block follows another.
 */
export async function watch(
  look: () => Promise<readonly string[]>,
  screen: Screen,
  signal: AbortSignal,
  pause = sleep,
): Promise<void> {
  if (screen.isTTY) screen.write(`${HIDE_CURSOR}${HOME}${TO_END_OF_SCREEN}`);
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const lines = await look();
    if (signal.aborted) break;
    screen.write(screen.isTTY ? picture(lines, screen.rows) : `${isFirst ? '' : '\n'}${lines.join('\n')}\n`);
    await pause(AGAIN_MS, signal);
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
