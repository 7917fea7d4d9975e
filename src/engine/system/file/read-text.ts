import { constants, readdirSync, readFileSync } from 'node:fs';

/** The names in a folder, such as one of /proc; none where it cannot be read. */
export function entriesOf(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** A small file of this machine, such as one of /proc; empty where it cannot be read, and of a FIFO. */
export function readText(path: string): string {
  try {
    return readFileSync(path, { encoding: 'utf8', flag: constants.O_RDONLY | constants.O_NONBLOCK });
  } catch {
    return '';
  }
}
