import { readdirSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { isTemporary } from './temporary-name.ts';

/** The temporary files below a folder, relative to it. */
export function temporaryFiles(dir: string): readonly string[] {
  return entriesOf(dir)
    .map(({ path }) => path)
    .filter(isTemporary);
}

/** HAProxy's runtime API socket, which HAProxy does not remove on exit. */
const HAPROXYS_OWN = 'haproxy.sock';

/**
 * What a program must not leave in its folder when it exits: a socket, or a temporary file that was not there
 * before. Older temporary files may belong to a program that was killed.
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
