import { flag } from '../../cli/command-spec.ts';
import { absolutePath, socketPath } from '../../cli/fields.ts';

/** Where a supervisor listens within its pod, unless a flag says otherwise. */
export const KEEPALIVED_SOCKET = '/var/run/keepalived/keepalived.sock';

/** What the supervisor and the monitor of a keepalived must agree on. */
export const keepalivedFlags = {
  socket: flag('<path>', socketPath, "the supervisor's control socket", {
    default: KEEPALIVED_SOCKET,
    inFile: 'never',
  }),
  runDir: flag(
    '<path>',
    absolutePath,
    'directory of notify.fifo, vrrp-state.json and the accepted copy of the configuration',
    { default: '/var/run/keepalived' },
  ),
  keepalived: flag('<path>', absolutePath, 'the program', { default: '/usr/sbin/keepalived' }),
};

/** The same flags, with what they are to the monitor. */
export const keepalivedMonitorFlags = {
  ...keepalivedFlags,
  runDir: {
    ...keepalivedFlags.runDir,
    help: "track files, notify FIFO and state, the same as the supervisor's",
  },
  keepalived: { ...keepalivedFlags.keepalived, help: 'the program, to validate rendered files' },
};
