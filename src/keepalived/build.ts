import { spawnSync } from 'node:child_process';
import { type KeepalivedBuild, parseKeepalivedBuild } from '../haproxy/build.ts';

/** It takes some milliseconds, more on a starved node. One that hangs is not waited for: the start shows what is wrong with it. */
const PATIENCE_MS = 3_000;

/** The program's own version report. Undefined if it cannot be run or prints none. */
export function readKeepalivedBuild(path: string): KeepalivedBuild | undefined {
  const limits = { timeout: PATIENCE_MS, killSignal: 'SIGKILL', encoding: 'utf8' } as const;
  try {
    const { stdout, stderr } = spawnSync(path, ['--version'], {
      ...limits,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return parseKeepalivedBuild(`${stdout ?? ''}${stderr ?? ''}`);
  } catch {
    return undefined;
  }
}
