import { closeSync, constants, fstatSync, ftruncateSync, readSync } from 'node:fs';
import { openOwnFile } from '../engine/system/file/open-own-file.ts';

/** In memory, as the run directory is: what was passed on is thrown away once it is this long. */
const MOST_BYTES = 1_000_000;

/** keepalived's output goes to a file, from there to our own log and to counters. */
export interface KeepalivedOutput {
  /** For a keepalived that is being started; undefined where the file cannot be written. The caller closes it. */
  readonly open: () => number | undefined;
  /** Says every whole line since the last call, and returns them. */
  readonly passOn: () => readonly string[];
}

/**
 * A file and not a pipe: writing to it never waits for us, and never fails when we have been killed; what was said then
 * is still there. A supervisor that adopts a keepalived starts at the end. Never throws.
 */
export function createKeepalivedOutput(path: string, say: (text: string) => void): KeepalivedOutput {
  const openHere = (access: number) => openOwnFile(path, access | constants.O_APPEND, 0o600);
  let fd = attempt(() => openHere(constants.O_RDWR));
  let offset = fd === undefined ? 0 : fstatSync(fd).size;
  let rest = '';
  const next = (): string => {
    if (fd === undefined) return '';
    const length = Math.min(MOST_BYTES, fstatSync(fd).size - offset);
    if (length <= 0) return '';
    const bytes = Buffer.alloc(length);
    const read = readSync(fd, bytes, 0, length, offset);
    offset += read;
    if (offset >= MOST_BYTES) {
      ftruncateSync(fd);
      offset = 0;
    }
    return bytes.toString('utf8', 0, read);
  };
  return {
    open: () => {
      const given = attempt(() => openHere(constants.O_WRONLY));
      // It may be another file than the last keepalived had.
      if (given !== undefined && (fd === undefined || !isSameFile(fd, given))) {
        if (fd !== undefined) closeSync(fd);
        fd = attempt(() => openHere(constants.O_RDWR));
        offset = fd === undefined ? 0 : fstatSync(fd).size;
      }
      return given;
    },
    passOn: () => {
      const lines = `${rest}${attempt(next) ?? ''}`.split('\n');
      rest = lines.pop() ?? '';
      if (lines.length > 0) attempt(() => say(`${lines.join('\n')}\n`));
      return lines;
    },
  };
}

function isSameFile(one: number, other: number): boolean {
  const a = fstatSync(one);
  const b = fstatSync(other);
  return a.ino === b.ino && a.dev === b.dev;
}

function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
