import { spawnSync } from 'node:child_process';
import { isOlder, versionIn } from '../engine/system/text/version-order.ts';

/** The properties of a keepalived build, from the output of `keepalived --version`. */
interface KeepalivedBuild {
  readonly version: string;
  readonly supported: boolean;
  readonly vrrp: boolean;
  /** Supports `--no_bfd`. 2.3 opens the pid file of its BFD process in /run even for VRRP alone. */
  readonly bfd: boolean;
}

export const OLDEST_KEEPALIVED = '2.2.7';
/** The command takes some milliseconds, more on a starved node. If it hangs, the later start of keepalived reports the problem. */
const TIMEOUT_MS = 3_000;

/** Runs `keepalived --version`. Undefined if the program cannot be run or prints no version. */
export function readKeepalivedBuild(path: string): KeepalivedBuild | undefined {
  const limits = { timeout: TIMEOUT_MS, killSignal: 'SIGKILL', encoding: 'utf8' } as const;
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

/** `printed`: the output of `keepalived --version`, which goes to stderr. */
export function parseKeepalivedBuild(printed: string): KeepalivedBuild | undefined {
  const version = versionIn(printed, /Keepalived v(\d+)\.(\d+)\.(\d+)/);
  if (version === undefined) return undefined;
  const options = /^Config options:(.*)$/m.exec(printed)?.[1] ?? '';
  return {
    version,
    supported: !isOlder(version, OLDEST_KEEPALIVED),
    vrrp: /\bVRRP\b/.test(options),
    bfd: /\bBFD\b/.test(options),
  };
}
