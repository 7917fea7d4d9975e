import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanUpAfterDeath } from '../../test/helpers/survivor.ts';

/** A new folder that is removed with the disposable stack, or when this process ends in any way. */
export function makeFolder(stack: AsyncDisposableStack): string {
  const dir = mkdtempSync(join(tmpdir(), 'hawser-demo-'));
  const survivor = cleanUpAfterDeath('rm -rf -- "$1"', dir);
  stack.defer(() => {
    rmSync(dir, { recursive: true, force: true });
    survivor.dismiss();
  });
  return dir;
}
