import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import type { NetNamespace } from '../../helpers/net-namespace.ts';
import type { HostPaths } from './layout.ts';
import { type Subject, subjectCommand } from './subject.ts';

export interface StartedSubject {
  /** The spawned process. If it is a wrapper, it is not part of the subject. */
  readonly pid: number;
  readonly wrapped: boolean;
}

/** The subject's output goes to `paths.log`. The subject ends with its namespace. */
export function startSubject(subject: Subject, paths: HostPaths, namespace: NetNamespace): StartedSubject {
  const { argv, environment, wrapped } = subjectCommand(subject, paths);
  const [file, ...before] = namespace.prefix;
  const child = spawn(file, [...before, ...argv], {
    // A pipe, as in a pod: the shell daemon's log socat would try to read from a file and exit.
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
