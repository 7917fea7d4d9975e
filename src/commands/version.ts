import { shippedFile } from './shipped-file.ts';

/** Of this program, as its package has it; `unknown` where that is not beside it. */
export function hawserVersion(): string {
  try {
    return /"version": "([^"]+)"/.exec(shippedFile('package.json'))?.[1] ?? 'unknown';
  } catch {
    return 'unknown';
  }
}

/** The commit that it was built from: the image says it, a bundle has it beside the program. Null where neither does. */
export function hawserCommit(): string | null {
  const told = process.env['HAWSER_REVISION'] ?? textOf('dist/revision');
  return /^[0-9a-f]{7,40}$/.exec(told.trim())?.[0] ?? null;
}

function textOf(path: string): string {
  try {
    return shippedFile(path);
  } catch {
    return '';
  }
}
