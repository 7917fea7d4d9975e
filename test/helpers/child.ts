import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';

/** Starts a program with its output appended to a file, and with these variables added to those of this process. */
export function startLogged(
  [file = '', ...args]: readonly string[],
  log: string,
  env: NodeJS.ProcessEnv = {},
): ChildProcess {
  const output = openSync(log, 'a');
  const child = spawn(file, args, {
    stdio: ['ignore', output, output],
    env: { ...process.env, ...env },
  });
  closeSync(output);
  return child;
}

/** Its exit code, or the signal that ended it. */
export async function endOf(child: ChildProcess): Promise<number | NodeJS.Signals> {
  const found = child.exitCode ?? child.signalCode;
  if (found !== null) return found;
  const [code, signal] = await once(child, 'exit');
  return code ?? signal;
}

/** Sends a signal unless it has ended; resolves once it has. */
export async function endChild(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  child.kill(signal);
  await endOf(child);
}
