import { readdirSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { isTemporary } from './temporary-name.ts';

/** The temporary files below a folder, relative to it. */
export function temporaryFiles(dir: string): readonly string[] {
  return entriesOf(dir)
    .map(({ path }) => path)
    .filter(isTemporary);
}

/** Of its runtime API: HAProxy leaves it when it ends. */
const HAPROXYS_OWN = 'haproxy.sock';

/**
 * What a program must not leave below its folder when it ends: a socket, or a temporary file that was not there
 * before. One that was may be of a program that had been killed.
 */
export function leftFiles(dir: string, temporaryBefore: readonly string[]): readonly string[] {
  const sockets = entriesOf(dir).filter(({ path, isSocket }) => isSocket && basename(path) !== HAPROXYS_OWN);
  const temporary = temporaryFiles(dir).filter((path) => !temporaryBefore.includes(path));
  return [
    ...sockets.map(({ path }) => `socket ${path}`),
    ...temporary.map((path) => `temporary file ${path}`),
  ];
}

function entriesOf(dir: string) {
  return readdirSync(dir, { recursive: true, withFileTypes: true }).map((entry) => ({
    path: relative(dir, join(entry.parentPath, entry.name)),
    isSocket: entry.isSocket(),
  }));
}
