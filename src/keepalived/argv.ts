import type { KeepalivedBuild } from '../keepalived/build.ts';

/** The files of one keepalived, all in the supervisor's run directory. */
export interface KeepalivedPaths {
  readonly keepalived: string;
  /** The configuration that the monitor writes. keepalived itself reads only `accepted`. */
  readonly config: string;
  readonly accepted: string;
  readonly candidate: string;
  readonly pidFile: string;
  readonly vrrpPidFile: string;
  /** keepalived writes its dumps here: its TMPDIR. */
  readonly dumpDir: string;
  /** What it says. */
  readonly output: string;
}

/** Below a run directory: the copy of the configuration that keepalived runs on. */
export const ACCEPTED_FILE = 'keepalived.accepted.conf';

type Argv = readonly [string, ...string[]];

export function testArgv(keepalived: string, config: string): Argv {
  return [keepalived, '--config-test', '--vrrp', '--use-file', config];
}

/**
 * In the foreground, VRRP only: without `--no_bfd` a keepalived 2.3 that knows it takes itself for running already where
 * /run is read-only, or where another one starts. `--dont-respawn`: a parent that restarts a dead child would not wait until the VIPs
 * that the child left are gone; the supervisor does. The realtime priority comes from outside, because the
 * `vrrp_rt_priority` of 2.2.7 gets the process killed at its next reload (RLIMIT_RTTIME).
 */
export function daemonArgv(
  paths: KeepalivedPaths,
  realtimePriority: number | undefined,
  build: Pick<KeepalivedBuild, 'bfd'> | undefined,
): Argv {
  const own: Argv = [
    paths.keepalived,
    '--vrrp',
    ...(build?.bfd === true ? ['--no_bfd'] : []),
    '--dont-fork',
    '--dont-respawn',
    '--log-console',
    '--log-detail',
    '--no-syslog',
    '--pid',
    paths.pidFile,
    '--vrrp_pid',
    paths.vrrpPidFile,
    '--use-file',
    paths.accepted,
  ];
  return realtimePriority === undefined ? own : ['chrt', '--rr', String(realtimePriority), ...own];
}
