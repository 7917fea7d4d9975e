import { shippedFile } from './shipped-file.ts';

/** This program's version from its package.json; `unknown` if that is missing. */
export function hawserVersion(): string {
  try {
    return /"version": "([^"]+)"/.exec(shippedFile('package.json'))?.[1] ?? 'unknown';
  } catch {
    return 'unknown';
  }
}

/** The commit of this build, from the image's environment or the file next to the bundle. Null if neither exists. */
export function hawserCommit(): string | null {
  const revision = process.env['HAWSER_REVISION'] ?? textOf('dist/revision');
  return /^[0-9a-f]{7,40}$/.exec(revision.trim())?.[0] ?? null;
}

function textOf(path: string): string {
  try {
    return shippedFile(path);
  } catch {
    return '';
  }
}
