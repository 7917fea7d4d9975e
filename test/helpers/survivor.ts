import { spawn } from 'node:child_process';

export interface Survivor {
  /** Nothing needs to be cleaned up after this process any longer. False if that was reported before. */
  dismiss(): boolean;
}

/**
 * Runs a shell script, `$1…` being `args`, once this process is gone without having dismissed it, whatever ended it:
 * an `exit` handler would not run after SIGKILL, nor when a test runner ends its worker. A shell of its own session
 * waits for that at the other end of a pipe, which no death can keep open.
 */
export function cleanUpAfterDeath(script: string, ...args: readonly string[]): Survivor {
  // Told so, it ends; at the end of the pipe alone, it works.
  const guard = spawn('sh', ['-c', `read -r _ && exit; ${script}`, 'clean-up', ...args], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.unref();
  guard.stdin.on('error', () => {});
  if ('unref' in guard.stdin && typeof guard.stdin.unref === 'function') guard.stdin.unref();
  let dismissed = false;
  return {
    dismiss: () => {
      if (dismissed) return false;
      dismissed = true;
      guard.stdin.end('dismissed\n');
      return true;
    },
  };
}
