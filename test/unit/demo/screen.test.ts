import { expect, it } from 'vitest';
import { createScreen } from '../../../scripts/demo/screen.ts';
import { renderView } from '../../../scripts/demo/view.ts';
import { scene } from './scene.ts';

const ESC = '\u001b[';

function output(tty: { readonly rows: number } | undefined) {
  const written: string[] = [];
  const write = (text: string) => void written.push(text);
  return { written, out: tty === undefined ? { write } : { write, isTTY: true, ...tty } };
}

it('draws over itself on a terminal and gives the cursor back', () => {
  const { written, out } = output({ rows: 50 });
  const screen = createScreen(out, { view: true }, renderView);
  screen.show(scene);
  screen.show(scene);
  screen.event({ atMs: 0, text: 'part of the view' });
  screen.close();
  screen.close();
  const [hide, first = '', second = '', ...rest] = written;
  const lines = first.split('\n').length - 1;
  expect(hide).toBe(`${ESC}?25l`);
  expect(second).toBe(`${ESC}${lines}A${first}`);
  expect(rest).toEqual([`${ESC}?25h`]);
});

it('never draws more than a small terminal can show without scrolling', () => {
  const { written, out } = output({ rows: 10 });
  const screen = createScreen(out, { view: true }, renderView);
  screen.show(scene);
  expect(written[1]?.split('\n')).toHaveLength(10);
  screen.close();
});

it('shows nothing after it was closed', () => {
  const { written, out } = output({ rows: 50 });
  const screen = createScreen(out, { view: true }, renderView);
  screen.close();
  screen.show(scene);
  expect(written).toHaveLength(2);
});

it.each([
  ['where the output is no terminal', undefined, true],
  ['with --no-view', { rows: 50 }, false],
])('prints one line per event %s', (_where, tty, view) => {
  const { written, out } = output(tty);
  const screen = createScreen(out, { view }, renderView);
  screen.show(scene);
  screen.event({ atMs: 61_000, text: 'HAProxy: cp-2 is DOWN (L4CON)' });
  screen.close();
  expect(written).toEqual(['01:01  HAProxy: cp-2 is DOWN (L4CON)\n']);
});
