/** Throws if there is no such process: pid 0 would be the test's own process group. */
export function sigkill(pid: number | undefined): void {
  if (pid === undefined || !(pid > 0)) throw new Error(`Cannot kill process ${pid}: it is not running`);
  process.kill(pid, 'SIGKILL');
}
