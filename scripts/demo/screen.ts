import type { DemoEvent } from './scene.ts';
import { eventLine, type Paint } from './view-parts.ts';

export interface Screen<S> {
  readonly show: (scene: S) => void;
  readonly event: (event: DemoEvent) => void;
  /** After this, output is printed below the view. May be called twice. */
  readonly close: () => void;
}

/** The part of a stream that the screen uses: `process.stdout`. */
export interface Output {
  readonly isTTY?: boolean;
  readonly rows?: number;
  readonly write: (text: string) => unknown;
}

/** The lines of a live view. */
export type Render<S> = (scene: S, paint: Paint) => readonly string[];

const ESC = '\u001b[';
const colours = { good: '32', bad: '31;1', dim: '2', strong: '1' } as const;
const noPaint: Paint = (_style, text) => text;
const ansiPaint: Paint = (style, text) => `${ESC}${colours[style]}m${text}${ESC}0m`;

/** On a terminal, a view that is redrawn in place; otherwise one line per event. */
export function createScreen<S>(
  out: Output,
  options: { readonly view: boolean },
  render: Render<S>,
): Screen<S> {
  if (options.view && out.isTTY === true) return createTerminal(out, render);
  return {
    show: () => undefined,
    event: (event) => void out.write(`${eventLine(event)}\n`),
    close: () => undefined,
  };
}

function createTerminal<S>(out: Output, render: Render<S>): Screen<S> {
  const paint = process.env['NO_COLOR'] === undefined ? ansiPaint : noPaint;
  let drawn = 0;
  let isOpen = true;
  const close = () => {
    if (isOpen) out.write(`${ESC}?25h`);
    isOpen = false;
  };
  out.write(`${ESC}?25l`);
  // Restores the terminal's cursor.
  process.on('exit', close);
  return {
    show: (scene) => {
      if (!isOpen) return;
      // Longer output would scroll, and the cursor would not move back to the right line.
      const lines = render(scene, paint).slice(0, Math.max(1, (out.rows ?? 50) - 1));
      const back = drawn === 0 ? '' : `${ESC}${drawn}A`;
      out.write(`${back}\r${lines.map((line) => `${line}${ESC}K\n`).join('')}${ESC}J`);
      drawn = lines.length;
    },
    event: () => undefined,
    close,
  };
}
