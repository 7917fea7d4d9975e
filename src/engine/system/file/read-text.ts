import { readdirSync, readFileSync } from 'node:fs';

/** The names in a folder, such as one of /proc; none where it cannot be read. */
export function entriesOf(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** A small file of this machine, such as one of /proc; empty where it cannot be read. */
export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
