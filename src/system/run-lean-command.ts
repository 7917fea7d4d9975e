import { execFile } from 'node:child_process';
import { messageOf } from '../model/errors.ts';

export type LeanResult =
  | { readonly kind: 'ended'; readonly exitCode: number; readonly stdout: string; readonly stderr: string }
  /** It could not be started, was killed by a signal, or did not end in time. */
  | { readonly kind: 'failed'; readonly message: string; readonly stderr: string };

/** For the supervisors, whose memory execa would raise by a half: see docs/decisions/0003. Never rejects. */
export function runLeanCommand(
  argv: readonly [string, ...string[]],
  options: { readonly timeoutMs: number },
): Promise<LeanResult> {
  const [file, ...args] = argv;
  return new Promise((resolve) => {
    const limits = { timeout: options.timeoutMs, killSignal: 'SIGKILL' as const, maxBuffer: 1_000_000 };
    execFile(file, args, limits, (error, stdout, stderr) => {
      if (error === null) resolve({ kind: 'ended', exitCode: 0, stdout, stderr });
      else if (typeof error.code === 'number')
        resolve({ kind: 'ended', exitCode: error.code, stdout, stderr });
      else if (error.killed)
        resolve({ kind: 'failed', message: `it did not end within ${options.timeoutMs} ms`, stderr });
      else resolve({ kind: 'failed', message: messageOf(error), stderr });
    });
  });
}
