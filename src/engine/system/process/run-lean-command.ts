import { execFile } from 'node:child_process';
import { codeOf } from '../errors.ts';
import { closeOutputAtExit } from './close-output.ts';
import type { RunCommand } from './run-command.ts';

/**
 * `runCommand` for the supervisors, whose memory execa would raise by a half (docs/decisions/0003). A program that does
 * not end in time is killed at once.
 */
export const runLeanCommand: RunCommand = ([file, ...args], { input, timeoutMs, signal }) =>
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
    // A program may end without having read all of it.
    child.stdin?.on('error', () => undefined).end(input);
  });
