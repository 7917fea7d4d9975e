import { readdirSync, readFileSync } from 'node:fs';

/** Names in a folder of /proc; none where its process has ended meanwhile. */
export function entriesOf(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** A file of /proc; empty where its process has ended meanwhile. */
export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
