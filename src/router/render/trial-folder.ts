import { mkdtemp, readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '../../engine/config/files-folder.ts';

/** A folder to validate a set in, apart from what is served. Disposing it removes it. */
interface TrialFolder extends AsyncDisposable {
  readonly path: string;
}

const PREFIX = 'hawser-trial-';
/** Twice as long as a check may take. */
const ABANDONED_MS = 120_000;

/** Also removes those of killed routers: they hold private keys, and mostly are in memory. Throws the system's error. */
export async function openTrialFolder(parent = tmpdir(), nowMs = Date.now()): Promise<TrialFolder> {
  for (const name of await readdir(parent))
    if (name.startsWith(PREFIX)) await removeIfOld(join(parent, name), nowMs);
  const path = await mkdtemp(join(parent, PREFIX));
  return { path, [Symbol.asyncDispose]: () => removeFolder(path) };
}

async function removeIfOld(path: string, nowMs: number): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found !== undefined && nowMs - found.mtimeMs >= ABANDONED_MS) await removeFolder(path);
}
