import { mkdtempSync, rmSync } from 'node:fs';
import { cleanUpAfterDeath } from '../survivor.ts';

/**
 * A folder removed with the stack, or with this process if that ends first. Below /run, because keepalived runs scripts
 * only if root alone can write to the folders above them, and anyone can write to /tmp.
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
