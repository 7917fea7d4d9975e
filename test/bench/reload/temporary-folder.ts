import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanUpAfterDeath } from '../../helpers/survivor.ts';

/** A folder that is removed with the stack, or when this process dies. */
export function temporaryFolder(stack: AsyncDisposableStack): string {
  const dir = mkdtempSync(join(tmpdir(), 'hawser-bench-'));
  const survivor = cleanUpAfterDeath('rm -rf -- "$1"', dir);
  stack.defer(() => {
    survivor.dismiss();
    rmSync(dir, { recursive: true, force: true });
  });
  return dir;
}
