import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The program as users get it: `bin/hawser` of this checkout. */
export const hawser = join(root, 'bin/hawser');

/** Builds `dist/` where a source is newer than it: what the tests run is what the sources say. */
export function ensureBuilt(): void {
  const sources = [newestIn(join(root, 'src')), changedAt(join(root, 'scripts/build.ts'))];
  if (Math.max(...sources) <= changedAt(join(root, 'dist/hawser.mjs'))) return;
  execFileSync(process.execPath, ['scripts/build.ts'], { cwd: root, stdio: 'inherit' });
}

function newestIn(dir: string): number {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((it) => it.isFile());
  return Math.max(...files.map((file) => changedAt(join(file.parentPath, file.name))));
}

function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
