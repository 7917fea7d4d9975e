/** Throws if there is no such process: number 0 would mean the test's own group. */
export function sigkill(pid: number | undefined): void {
  if (pid === undefined || !(pid > 0)) throw new Error(`Cannot kill process ${pid}: it is not running`);
  process.kill(pid, 'SIGKILL');
}
