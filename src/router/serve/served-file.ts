import { join } from 'node:path';
import { findLiveFile, readIfThere } from '../../engine/apply/live-file.ts';
import { folderNamedIn } from '../../engine/apply/set-path.ts';

/** The path of a file of the live set. An earlier process may have written it. */
export async function servedFile(config: string, name: string): Promise<string> {
  const file = await findLiveFile(config);
  const folder = folderNamedIn(file, await readIfThere(file.path));
  return join(folder ?? `${file.path}.sets`, name);
}
