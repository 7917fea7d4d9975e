import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The text of a file that hawser ships, below `manifests/` or `templates/`. */
export function shippedFile(path: string): string {
  return readFileSync(join(homeOf(path, dirname(fileURLToPath(import.meta.url))), path), 'utf8');
}

/** Searches upwards: a bundle is one or two folders below the manifests, the sources are three levels below. */
function homeOf(path: string, folder: string): string {
  if (existsSync(join(folder, path))) return folder;
  if (folder === '/')
    throw new Error(`Cannot find "${path}": expected it next to the program, as in the image`);
  return homeOf(path, dirname(folder));
}
