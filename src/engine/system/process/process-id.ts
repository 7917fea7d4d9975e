/**
 * A process that cannot be mistaken for another: the kernel reuses pids, but not together with the moment at
 * which the process started (field 22 of `/proc/PID/stat`, clock ticks since boot).
 */
export interface ProcessId {
  readonly pid: number;
  readonly startTicks: number;
}
