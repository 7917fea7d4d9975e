import { closeOutputAtExit } from './close-output.ts';

export interface CommandResult {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** True if the program did not end within `timeoutMs` and was killed. */
  readonly timedOut: boolean;
}

/** Runs a short-lived program to its end, without its background processes. Throws if the program could not be started. */
export type RunCommand = (
  argv: readonly [string, ...string[]],
  options: RunOptions,
) => Promise<CommandResult>;

export interface RunOptions {
  /** The program's stdin; empty by default. */
  readonly input?: string;
  /** The complete environment, instead of this process's. */
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** Characters of each stream that are kept; the program ends with EPIPE after more. */
export const MAX_OUTPUT = 1_000_000;

/**
 * Runs a short-lived program to its end and captures its output (at most `MAX_OUTPUT` of each stream). A non-zero exit code is a value, not an
 * exception.
 * Throws only if the program could not be started (`ENOENT`, `EACCES`). Supervisors do not use this function: execa costs them 6 MB of anonymous
 * memory (docs/internals/decisions/0003).
 */
export async function runCommand(
  argv: readonly [string, ...string[]],
  options: RunOptions,
): Promise<CommandResult> {
  // Loaded late: many commands of hawser never run a program.
  const { execa } = await import('execa');
  const [file, ...args] = argv;
  const running = execa(file, args, {
    reject: false,
    timeout: options.timeoutMs,
    forceKillAfterDelay: 1_000,
    maxBuffer: MAX_OUTPUT,
    stripFinalNewline: false,
    ...(options.input === undefined ? { stdin: 'ignore' as const } : { input: options.input }),
    ...(options.env === undefined ? {} : { env: options.env, extendEnv: false }),
    ...(options.signal === undefined ? {} : { cancelSignal: options.signal }),
  });
  closeOutputAtExit(running.nodeChildProcess);
  const result = await running;
  if (result.exitCode === undefined && result.signal === undefined && result.cause instanceof Error)
    throw result.cause;
  return {
    exitCode: result.exitCode,
    signal: result.signal,
    stdout: result.stdout,
    stderr: result.stderr,
    timedOut: result.timedOut,
  };
}
