import {
  chmodSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** A copy of a program that a test may break. */
export interface BreakableProgram {
  readonly path: string;
  /** From now on starts fail in this way, until `repair`. */
  readonly break: (way: Breakage) => void;
  readonly repair: () => void;
}

/** Every way in which an existing program can fail to start, by the error of `spawn` or by its result. */
export const breakages = [
  'ETXTBSY',
  'ENOTDIR',
  'ELOOP',
  'ENOENT',
  'EACCES',
  'ENOEXEC',
  'segmentation fault',
  'exit code 0',
] as const;
export type Breakage = (typeof breakages)[number];

export function copyProgram(original: string, dir: string): BreakableProgram {
  const bin = join(dir, 'bin');
  const path = join(bin, 'program');
  let undo = (): void => undefined;
  const replace = (write: (next: string) => void): void => {
    write(`${path}.new`);
    renameSync(`${path}.new`, path);
  };
  const script = (text: string): void =>
    replace((next) => writeFileSync(next, `#!/bin/sh\n${text}\n`, { mode: 0o755 }));
  const repair = (): void => {
    undo();
    undo = () => undefined;
    mkdirSync(dirname(path), { recursive: true });
    replace((next) => copyFileSync(original, next));
  };
  const breakIt = (way: Breakage): void => {
    switch (way) {
      case 'ETXTBSY': {
        // A copy held open for writing, next to the one that runs.
        replace((next) => copyFileSync(original, next));
        const writer = openSync(path, 'r+');
        undo = () => closeSync(writer);
        return;
      }
      case 'ENOTDIR':
        rmSync(bin, { recursive: true });
        writeFileSync(bin, '');
        undo = () => rmSync(bin);
        return;
      case 'ELOOP':
        replace((next) => symlinkSync(path, next));
        return;
      case 'ENOENT':
        rmSync(path);
        return;
      case 'EACCES':
        chmodSync(path, 0o644);
        return;
      case 'ENOEXEC':
        replace((next) => writeFileSync(next, '\x7fELF\x02\x01\x01 no program', { mode: 0o755 }));
        return;
      case 'segmentation fault':
        script('kill -SEGV $$');
        return;
      case 'exit code 0':
        script('exit 0');
        return;
    }
  };
  repair();
  return { path, break: breakIt, repair };
}
