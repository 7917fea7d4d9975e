import type { ChildProcess } from 'node:child_process';

/** What a program wrote itself is read before its end is told. This is for the rest of what it had another write, as in `> >(tee log)`. */
const GRACE_MS = 100;

/**
 * Takes the end of a program for the end of its output. What it started in the background may hold its pipes open for as long as that
 * lives, and nobody waits for that.
 */
export function closeOutputAtExit(child: ChildProcess): void {
  child.once('exit', () => {
    const close = (): void => {
      child.stdout?.destroy();
      child.stderr?.destroy();
    };
    const timer = setTimeout(close, GRACE_MS);
    child.once('close', () => clearTimeout(timer));
  });
}
