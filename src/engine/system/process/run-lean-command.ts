import { execFile } from 'node:child_process';
import { setPriority } from 'node:os';
import { codeOf } from '../errors.ts';
import { closeOutputAtExit } from './close-output.ts';
import type { CommandResult, RunOptions } from './run-command.ts';

interface LeanOptions extends RunOptions {
  /** The nice value, 1 to 19. Undefined: 0. */
  readonly niceness?: number;
}

/**
 * `runCommand` for supervisors, whose memory execa would increase by half (docs/internals/decisions/0003). A program that does not end in time is
 * killed at once.
 */
export const runLeanCommand = (
  [file, ...args]: readonly [string, ...string[]],
  { input, timeoutMs, signal, niceness }: LeanOptions,
): Promise<CommandResult> =>
  new Promise((resolve, reject) => {
    const limits = { timeout: timeoutMs, killSignal: 'SIGKILL' as const, maxBuffer: 1_000_000, signal };
    const child = execFile(file, args, limits, (error, stdout, stderr) => {
      if (error !== null && typeof error.code !== 'number' && codeOf(error) !== undefined)
        return reject(error);
      const exitCode = error === null ? 0 : typeof error.code === 'number' ? error.code : undefined;
      const endedBy = error?.signal ?? undefined;
      resolve({ exitCode, signal: endedBy, stdout, stderr, timedOut: error?.killed === true });
    });
    closeOutputAtExit(child);
    if (niceness !== undefined && child.pid !== undefined) lowerPriority(child.pid, niceness);
    // A program may end before it has read all of its input.
    child.stdin?.on('error', () => undefined).end(input);
  });

/** Ignores a program that has already ended. */
function lowerPriority(pid: number, niceness: number): void {
  try {
    setPriority(pid, niceness);
  } catch {
    // It runs at normal priority.
  }
}
