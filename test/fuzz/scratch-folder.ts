import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanUpAfterDeath } from '../helpers/survivor.ts';

export interface ScratchFolder extends Disposable {
  readonly path: string;
}

/** A folder removed on disposal or when this process dies: a target that is busy computing cannot handle a signal. */
export function openScratchFolder(): ScratchFolder {
  const path = join(tmpdir(), `hawser-fuzz-${randomUUID()}`);
  const survivor = cleanUpAfterDeath('rm -rf -- "$1"', path);
  // Created only after the survivor runs, because a signal in between would leave the folder behind.
  mkdirSync(path, { mode: 0o700 });
  return {
    path,
    [Symbol.dispose]: () => {
      survivor.dismiss();
      rmSync(path, { recursive: true, force: true });
    },
  };
}
