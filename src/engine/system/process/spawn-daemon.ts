import { type ChildProcess, spawn } from 'node:child_process';
import { messageOf } from '../errors.ts';
import { type ProcessId, readProcess } from './processes.ts';

export type SpawnOutcome =
  | { readonly kind: 'started'; readonly id: ProcessId; readonly exited: Promise<string> }
  | { readonly kind: 'failed'; readonly message: string };

/**
 * Starts a long-lived child whose output is ours or goes to an open file: never to a pipe, so that it stays unbuffered and the child never waits for
 * us or dies with us. `exited` resolves with how it ended (`exit code 1`, `signal SIGKILL`). Never throws; what it calls failed does not run.
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
    // Node throws all errors other than EACCES, EAGAIN, EMFILE, ENFILE and ENOENT: ETXTBSY, ENOTDIR, ELOOP, ENOMEM.
    return failed(messageOf(error));
  }
  const broken = new Promise<string>((resolve) => child.once('error', (error) => resolve(error.message)));
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`));
  });
  if (child.pid === undefined) return failed('it is missing or not executable');
  // Until Node has waited for it, even a child that ended at once keeps its entry in /proc.
  const found = readProcess(child.pid);
  if (found !== undefined) return { kind: 'started', id: found.id, exited: Promise.race([broken, ended]) };
  // A child that cannot be identified (no /proc, no descriptor left to read it) must not run on.
  child.kill('SIGKILL');
  return failed('its entry in /proc cannot be read');
}

/** Our launcher limits malloc to one arena; a multi-threaded proxy must not suffer from it. */
const OURS: ReadonlySet<string> = new Set([
  'MALLOC_ARENA_MAX',
  'MALLOC_MMAP_THRESHOLD_',
  'MALLOC_TRIM_THRESHOLD_',
  'MALLOC_TOP_PAD_',
]);

/** Our own variables without those that `bin/hawser` sets for this process alone. */
export function environmentForChildren(): Readonly<Record<string, string>> {
  const theirs = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || OURS.has(name) ? [] : [[name, value] as const],
  );
  return Object.fromEntries(theirs);
}
