import { spawn } from 'node:child_process';
import type { ProcessId } from '../model/process-id.ts';
import { readProcess } from './processes.ts';

export type SpawnOutcome =
  | { readonly kind: 'started'; readonly id: ProcessId; readonly exited: Promise<string> }
  | { readonly kind: 'failed'; readonly message: string };

/**
 * Starts a long-lived child whose output is ours or goes to an open file: never to a pipe, so that it stays unbuffered
 * and the child never waits for us or dies with us. `exited` resolves with how it ended (`exit code 1`, `signal SIGKILL`).
 */
export function spawnDaemon(
  argv: readonly [string, ...string[]],
  extraEnvironment: NodeJS.ProcessEnv = {},
  output: number | 'inherit' = 'inherit',
): SpawnOutcome {
  const [file, ...args] = argv;
  const env = { ...environmentForChildren(), ...extraEnvironment };
  const child = spawn(file, args, { stdio: ['ignore', output, output], env });
  const failed = new Promise<string>((resolve) => child.once('error', (error) => resolve(error.message)));
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`));
  });
  // Until Node has waited for it, even a child that ended at once keeps its entry in /proc.
  const found = child.pid === undefined ? undefined : readProcess(child.pid);
  if (found === undefined)
    return { kind: 'failed', message: `Cannot start "${file}": ${notStarted(child.pid)}` };
  return { kind: 'started', id: found.id, exited: Promise.race([failed, ended]) };
}

function notStarted(pid: number | undefined): string {
  return pid === undefined
    ? 'it is missing or not executable'
    : 'its entry in /proc is missing, expected /proc to be mounted';
}

/** Our launcher limits malloc to one arena to save memory; a proxy with several threads must not suffer for it. */
function environmentForChildren(): NodeJS.ProcessEnv {
  const { MALLOC_ARENA_MAX: _ours, ...rest } = process.env;
  return rest;
}
