import { shippedFile } from './shipped-file.ts';

/** Of this program, as its package has it; `unknown` where that is not beside it. */
export function hawserVersion(): string {
  try {
    return /"version": "([^"]+)"/.exec(shippedFile('package.json'))?.[1] ?? 'unknown';
  } catch {
    return 'unknown';
  }
}
