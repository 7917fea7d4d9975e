import { type ChildProcess, spawn } from 'node:child_process';
import { messageOf } from '../errors.ts';
import { type ProcessId, readProcess } from './processes.ts';

export type SpawnOutcome =
  | { readonly kind: 'started'; readonly id: ProcessId; readonly exited: Promise<string> }
  | { readonly kind: 'failed'; readonly message: string };

/**
 * Starts a long-lived child. Its output is inherited or goes to an open file, never to a pipe, so that it is unbuffered and the child neither waits
 * for this process nor dies with it. `exited` resolves with the cause (`exit code 1`, `signal SIGKILL`). Never throws. After `failed` no child runs.
 */
export function spawnDaemon(
  argv: readonly [string, ...string[]],
  extraEnvironment: NodeJS.ProcessEnv = {},
  output: number | 'inherit' = 'inherit',
): SpawnOutcome {
  const [file, ...args] = argv;
  const env = { ...environmentForChildren(), ...extraEnvironment };
  const failed = (why: string): SpawnOutcome => ({
    kind: 'failed',
    message: `Cannot start "${file}": ${why}`,
  });
  let child: ChildProcess;
  try {
    child = spawn(file, args, { stdio: ['ignore', output, output], env });
  } catch (error) {
    // Node throws errors other than EACCES, EAGAIN, EMFILE, ENFILE and ENOENT, such as ETXTBSY, ENOTDIR, ELOOP and ENOMEM.
    return failed(messageOf(error));
  }
  const broken = new Promise<string>((resolve) => child.once('error', (error) => resolve(error.message)));
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`));
  });
  if (child.pid === undefined)
    return failed('it is missing or not executable, or no process or file descriptor is free');
  // Until Node has reaped the child, even one that ended at once has an entry in /proc.
  const started = readProcess(child.pid);
  if (started !== undefined)
    return { kind: 'started', id: started.id, exited: Promise.race([broken, ended]) };
  // A child that cannot be identified (no /proc, no free descriptor) must not keep running.
  child.kill('SIGKILL');
  return failed('its entry in /proc cannot be read');
}

/** `bin/hawser` limits malloc to one arena. A multi-threaded proxy must not inherit that. */
const OURS: ReadonlySet<string> = new Set([
  'MALLOC_ARENA_MAX',
  'MALLOC_MMAP_THRESHOLD_',
  'MALLOC_TRIM_THRESHOLD_',
  'MALLOC_TOP_PAD_',
]);

/** This process's environment without the variables that `bin/hawser` sets only for this process. */
export function environmentForChildren(): Readonly<Record<string, string>> {
  const theirs = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || OURS.has(name) ? [] : [[name, value] as const],
  );
  return Object.fromEntries(theirs);
}
