import { readFile } from 'node:fs/promises';
import { codeOf } from '../../engine/system/errors.ts';

/** Undefined if there is no such file. Throws if it may not be read. */
export async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
