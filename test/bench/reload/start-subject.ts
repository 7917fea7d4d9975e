import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import type { NetNamespace } from '../../helpers/net-namespace.ts';
import type { HostPaths } from './layout.ts';
import { type Subject, subjectCommand } from './subject.ts';

export interface StartedSubject {
  /** Of what was spawned: with a wrapper, that is no part of the subject. */
  readonly pid: number;
  readonly wrapped: boolean;
}

/** Its output goes to `paths.log`. It ends with its namespace. */
export function startSubject(subject: Subject, paths: HostPaths, namespace: NetNamespace): StartedSubject {
  const { argv, environment, wrapped } = subjectCommand(subject, paths);
  const [file, ...before] = namespace.prefix;
  const child = spawn(file, [...before, ...argv], {
    // A pipe as in a pod: from a file the shell daemon's log socat would try to read, and end.
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  const log = createWriteStream(paths.log);
  child.stdout.pipe(log);
  child.stderr.pipe(log);
  child.on('error', () => {});
  if (child.pid === undefined) throw new Error(`Cannot start "${argv.join(' ')}": no process`);
  return { pid: child.pid, wrapped };
}
