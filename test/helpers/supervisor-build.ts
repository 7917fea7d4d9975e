import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The program as users run it: `bin/hawser` of this checkout. */
export const hawser = join(root, 'bin/hawser');

/**
 * Builds `dist/` if a source is newer, so that the tests run the current sources. If several runs begin at once, one
 * builds and the others wait for it.
 */
export function ensureBuilt(): void {
  if (isBuilt()) return;
  const builder = fileURLToPath(new URL('build-if-older.ts', import.meta.url));
  execFileSync('flock', ['dist.lock', process.execPath, builder], { cwd: root, stdio: 'inherit' });
}

export function isBuilt(): boolean {
  const sources = [newestIn(join(root, 'src')), changedAt(join(root, 'scripts/build.ts'))];
  return Math.max(...sources) <= changedAt(join(root, 'dist/hawser.mjs'));
}

function newestIn(dir: string): number {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((it) => it.isFile());
  return Math.max(...files.map((file) => changedAt(join(file.parentPath, file.name))));
}

function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
