import { expect, test } from 'vitest';
import { type Screen, watch } from '../../../../src/operate/status/watch.ts';

/** A screen that records its output. */
function screenOf(part: Partial<Screen> = {}) {
  const written: string[] = [];
  return { written, ...part, write: (text: string) => written.push(text) };
}

/** Draws `count` times, and is stopped in the pause after the last one. */
async function watched(
  screen: Screen,
  count: number,
  lines: (round: number) => readonly string[],
): Promise<readonly number[]> {
  const stop = new AbortController();
  const pauses: number[] = [];
  await watch(
    async () => lines(pauses.length + 1),
    screen,
    stop.signal,
    async (ms) => {
      if (pauses.push(ms) === count) stop.abort();
    },
  );
  return pauses;
}

test('without a terminal a block is printed every second, separated by blank lines', async () => {
  const screen = screenOf();
  expect(await watched(screen, 3, (round) => [`look ${round}`, 'more'])).toEqual([1_000, 1_000, 1_000]);
  expect(screen.written.join('')).toBe('look 1\nmore\n\nlook 2\nmore\n\nlook 3\nmore\n');
});

test('a terminal is redrawn in place, cut to its height, and its cursor is restored at the end', async () => {
  const screen = screenOf({ isTTY: true, rows: 5 });
  await watched(screen, 2, (round) => Array.from({ length: 10 }, (_, line) => `${round}.${line}`));
  const [first = '', second = ''] = screen.written;
  expect(first).toContain('\u001b[?25l');
  expect(second.startsWith('\u001b[H')).toBe(true);
  expect(second.endsWith('\u001b[J')).toBe(true);
  expect(second.split('\n')).toHaveLength(5);
  expect(second).toContain('1.2\u001b[K\n… 7 more lines: hawser status\u001b[K\n');
  expect(screen.written.at(-1)).toBe('\u001b[?25h');
});

test('a stop during the collection ends without another output', async () => {
  const stop = new AbortController();
  const screen = screenOf();
  await watch(
    async () => {
      stop.abort();
      return ['late'];
    },
    screen,
    stop.signal,
  );
  expect(screen.written).toEqual([]);
});
