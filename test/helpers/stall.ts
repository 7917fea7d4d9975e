/** Blocks this process for this long, like a starved machine. */
export function stall(durationMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, durationMs);
}
