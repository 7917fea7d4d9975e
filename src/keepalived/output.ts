import { closeSync, constants, fstatSync, ftruncateSync, readSync } from 'node:fs';
import { openOwnFile } from '../engine/system/file/open-own-file.ts';

/** The run directory is in memory, so the file is truncated once this many bytes have been forwarded. */
const MOST_BYTES = 1_000_000;

/** keepalived writes its output to a file, from which the supervisor forwards it to its own log. */
export interface KeepalivedOutput {
  /** A file descriptor for a keepalived that is being started; undefined if the file cannot be opened. The caller closes it. */
  readonly open: () => number | undefined;
  /** Forwards every complete line since the last call, and returns the lines. */
  readonly forward: () => readonly string[];
}

/**
 * Uses a file instead of a pipe: keepalived never waits for the supervisor, its writes do not fail if the supervisor is killed, and its
 * output is then still in the file. A supervisor that adopts a keepalived starts at the end of the file. Never throws.
 */
export function createKeepalivedOutput(path: string, write: (text: string) => void): KeepalivedOutput {
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
      const output = attempt(() => openHere(constants.O_WRONLY));
      // The file may have been replaced since the last keepalived was started.
      if (output !== undefined && (fd === undefined || !isSameFile(fd, output))) {
        if (fd !== undefined) closeSync(fd);
        fd = attempt(() => openHere(constants.O_RDWR));
        offset = fd === undefined ? 0 : fstatSync(fd).size;
      }
      return output;
    },
    forward: () => {
      const lines = `${rest}${attempt(next) ?? ''}`.split('\n');
      rest = lines.pop() ?? '';
      if (lines.length > 0) attempt(() => write(`${lines.join('\n')}\n`));
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
