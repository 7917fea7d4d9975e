import { spawn } from 'node:child_process';

export interface Survivor {
  /** Nothing needs cleaning up after this process any more. False if it was already dismissed. */
  dismiss(): boolean;
}

/**
 * Runs a shell script, with `args` as `$1…`, once this process is gone without having dismissed it, however it ended:
 * an `exit` handler would not run after SIGKILL, or when a test runner ends its worker. A shell in its own session
 * waits at the other end of a pipe, which closes however this process dies.
 */
export function cleanUpAfterDeath(script: string, ...args: readonly string[]): Survivor {
  // A line makes it exit; without one, the end of the pipe starts the clean-up.
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
