import { join } from 'node:path';
import { filesFolder, namesOnDiskIn } from '../../engine/config/layout.ts';
import { findLiveFile, readIfThere } from '../../engine/config/live-file.ts';

/** The path of a file that the live main file names. An earlier process may have written it. */
export async function servedFile(config: string, name: string): Promise<string> {
  const file = await findLiveFile(config);
  const text = (await readIfThere(file.path))?.toString('latin1') ?? '';
  return join(filesFolder(file.path), namesOnDiskIn(text).get(name) ?? name);
}
