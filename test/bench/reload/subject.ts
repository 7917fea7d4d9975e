import { fileURLToPath } from 'node:url';
import { FORCE_DELETE_MS, type HostPaths } from './layout.ts';

/** The supervisors that are compared. */
export const subjects = ['hawser', 'shell'] as const;
export type Subject = (typeof subjects)[number];

export interface SubjectCommand {
  readonly argv: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
  /** Whether a wrapper of the harness stays as the subject's parent. It is not counted as part of the subject. */
  readonly wrapped: boolean;
}

const inProject = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const forceDeleteSeconds = String(FORCE_DELETE_MS / 1_000);

export const HAPROXY = '/usr/sbin/haproxy';

export function subjectCommand(subject: Subject, paths: HostPaths): SubjectCommand {
  switch (subject) {
    case 'hawser':
      return hawserCommand(paths);
    case 'shell':
      return shellCommand(paths);
  }
}

function hawserCommand(paths: HostPaths): SubjectCommand {
  const argv = [
    ...([inProject('bin/hawser'), 'haproxy', 'supervise'] as const),
    ...['--haproxy', HAPROXY, '--config', paths.config, '--socket', paths.masterSocket],
    ...['--stats-socket', paths.statsSocket, '--pid-file', paths.pidFile],
    ...['--state-file', paths.stateFile, '--force-delete-timeout', `${forceDeleteSeconds}s`],
  ] as const;
  return { argv, environment: {}, wrapped: false };
}

/** The shell daemon finds processes by name, so it gets a pid namespace that contains only its own. */
function shellCommand(paths: HostPaths): SubjectCommand {
  const argv = [
    ...(['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'] as const),
    ...['bash', inProject('test/fixtures/shell-daemon.sh')],
  ] as const;
  const environment = {
    CONFIG: paths.config,
    MASTER_SOCKET: paths.masterSocket,
    LOG_SOCKET: paths.logSocket,
    STATS_SOCKET: paths.statsSocket,
    PID_FILE: paths.pidFile,
    HAPROXY,
    OLD_HAPROXY_PS_FORCE_DEL_TIMEOUT: forceDeleteSeconds,
  };
  return { argv, environment, wrapped: true };
}
