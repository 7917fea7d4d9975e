import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { filesFolder, isNameOnDisk, nameInSet } from './layout.ts';
import { readIfThere } from './live-file.ts';
import { type Rendered, SET_FOLDER, type SetFile } from './set.ts';

const words = /[\w][\w./-]*/g;

/**
 * The set of the main file at `path`, which another process wrote: as it was rendered, but that `secret` and `namesFiles` are guesses. Undefined if a
 * part of it cannot be read. Throws the system's error.
 */
export async function readSet(path: string): Promise<Rendered | undefined> {
  const bytes = await readIfThere(path);
  if (bytes === undefined) return undefined;
  const folder = filesFolder(path);
  const mode = (await stat(path)).mode & 0o777;
  const found = bytes.toString('utf8').replace(/\n# revision \w+ of \w+\n$/, '\n');
  const marked = found.replaceAll(folder, SET_FOLDER);
  const others: SetFile[] = [];
  const names = new Set(marked.match(words)?.filter(isNameOnDisk));
  for (const name of names) {
    const file = await readOne(folder, name);
    if (file === undefined) return undefined;
    others.push(file);
    if (file.namesFiles === true)
      for (const more of (file.found.match(/^\S+/gm) ?? []).filter(isNameOnDisk)) names.add(more);
  }
  return { text: inSet(marked), mode, ...(others.length > 0 && { others }) };
}

function inSet(text: string): string {
  return text.replace(words, (word) => (isNameOnDisk(word) ? nameInSet(word) : word));
}

async function readOne(
  folder: string,
  name: string,
): Promise<(SetFile & { readonly found: string }) | undefined> {
  const path = join(folder, name);
  const bytes = await readIfThere(path);
  if (bytes === undefined) return undefined;
  const found = bytes.toString('utf8');
  const content = inSet(found);
  const secret = ((await stat(path)).mode & 0o777) === 0o600;
  const namesFiles = content !== found;
  return { name: nameInSet(name), content: namesFiles ? content : found, secret, namesFiles, found };
}
