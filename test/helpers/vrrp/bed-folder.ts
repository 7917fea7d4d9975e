import { mkdtempSync, rmSync } from 'node:fs';
import { cleanUpAfterDeath } from '../survivor.ts';

/**
 * A folder that goes with the stack, or with this process if that comes first. Below /run, because keepalived runs
 * scripts only where nobody but root may write any of the folders above them, and /tmp is everybody's.
 */
export function bedFolder(stack: AsyncDisposableStack): string {
  const dir = mkdtempSync('/run/hawser-bed-');
  const survivor = cleanUpAfterDeath('rm -rf -- "$1"', dir);
  stack.defer(() => {
    survivor.dismiss();
    rmSync(dir, { recursive: true, force: true });
  });
  return dir;
}
