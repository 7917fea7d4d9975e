import { spawn } from 'node:child_process';

/**
 * Busy loops at the ordinary priority, on whatever processors this process may use. They end when they are disposed of,
 * and with this process, however that ends.
 */
export function startHogs(count: number): Disposable {
  const hogs = Array.from({ length: count }, () =>
    spawn('setpriv', ['--pdeathsig', 'KILL', 'sh', '-c', 'while :; do :; done'], { stdio: 'ignore' }),
  );
  return {
    [Symbol.dispose]: () => {
      for (const hog of hogs) hog.kill('SIGKILL');
    },
  };
}
