import { constants, readdirSync, readFileSync } from 'node:fs';

/** The names in a folder, such as one of /proc; empty if it cannot be read. */
export function entriesOf(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** The text of a small local file, such as one of /proc; empty for a FIFO, or if it cannot be read. */
export function readText(path: string): string {
  try {
    return readFileSync(path, { encoding: 'utf8', flag: constants.O_RDONLY | constants.O_NONBLOCK });
  } catch {
    return '';
  }
}
