import { expect, test } from 'vitest';
import { type Screen, watch } from '../../../../src/operate/status/watch.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

/** A screen that remembers what was written to it. */
function screenOf(part: Partial<Screen> = {}) {
  const written: string[] = [];
  return { written, ...part, write: (text: string) => written.push(text) };
}

/** Draws until `count` pictures were shown. */
async function watched(
  screen: Screen,
  count: number,
  lines: (round: number) => readonly string[],
): Promise<void> {
  const stop = new AbortController();
  let looks = 0;
  const watching = watch(
    async () => {
      looks += 1;
      return lines(looks);
    },
    screen,
    stop.signal,
  );
  await waitFor('the looks', () => looks >= count);
  stop.abort();
  await watching;
}

test('without a terminal one block follows another, with a blank line between them and nothing else', async () => {
  const screen = screenOf();
  await watched(screen, 3, (round) => [`look ${round}`, 'more']);
  expect(screen.written.join('')).toMatch(/^look 1\nmore\n\nlook 2\nmore\n(\nlook 3\nmore\n)?$/);
});

test('a terminal has each picture over the one before, cut to its height, and its cursor back at the end', async () => {
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

test('an end that comes during a look ends it without another picture', async () => {
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
