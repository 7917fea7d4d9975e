import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

/** One program of the demo. Signals go only through Node's handle, never to a stale pid. */
export interface DemoProcess {
  readonly pid: number;
  readonly isRunning: () => boolean;
  /** Resolves once the signal has ended the program. */
  readonly kill: () => Promise<void>;
  /** Sends SIGTERM, and SIGKILL after `graceMs` if it is still running. */
  readonly stop: (graceMs: number) => Promise<void>;
}

/**
 * Starts a program whose output goes line by line to `onLine`. It gets its own session, so that Ctrl-C in the
 * terminal reaches only the demo, which stops its programs one after another.
 */
export function startProcess(argv: readonly string[], onLine: (line: string) => void): DemoProcess {
  const [file = '', ...args] = argv;
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true, env: environment() });
  if (child.pid === undefined)
    throw new Error(`Cannot start "${argv.join(' ')}": no process, expected a program`);
  const ended = once(child, 'exit');
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', onLine);
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const kill = async () => {
    if (isRunning()) child.kill('SIGKILL');
    await ended;
  };
  const stop = async (graceMs: number) => {
    if (!isRunning()) return;
    child.kill('SIGTERM');
    const timer = new AbortController();
    await Promise.race([ended, pause(graceMs, undefined, { signal: timer.signal }).catch(() => undefined)]);
    timer.abort();
    await kill();
  };
  return { pid: child.pid, isRunning, kill, stop };
}

/** The environment without the user's own hawser settings, which are for another machine. */
function environment(): NodeJS.ProcessEnv {
  const own = ([name]: readonly [string, unknown]) =>
    !/^(?:HAWSER|ROUTER|STATS)_/.test(name) && name !== 'OLD_HAPROXY_PS_FORCE_DEL_TIMEOUT';
  return Object.fromEntries(Object.entries(process.env).filter(own));
}
