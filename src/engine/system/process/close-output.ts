import type { ChildProcess } from 'node:child_process';
import { patientTimer } from '../time/patient-timeout.ts';

/** At its exit a program's own output is already in its pipes. The grace period is for output through another program, as in `> >(tee log)`. */
const GRACE_MS = 100;

/** Treats the exit of a program as the end of its output, because a background process may keep the pipes open as long as it lives. */
export function closeOutputAtExit(child: ChildProcess): void {
  child.once('exit', () => {
    const timer = patientTimer(GRACE_MS, () => {
      child.stdout?.destroy();
      child.stderr?.destroy();
    });
    child.once('close', () => timer[Symbol.dispose]());
  });
}
