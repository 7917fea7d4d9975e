import { flag } from '../../cli/command-spec.ts';
import { absolutePath, socketPath } from '../../cli/fields.ts';
import { instance } from '../../cli/shared-flags.ts';

/** A supervisor's default socket within its pod. */
export const HAPROXY_SOCKET = '/var/run/haproxy/haproxy-master.sock';

/** Settings that the supervisor and the monitor of an HAProxy share. */
export const haproxyFlags = {
  instance,
  socket: flag('<path>', socketPath, "the supervisor's control socket", {
    default: HAPROXY_SOCKET,
    inFile: 'never',
    hasInstances: true,
  }),
  statsSocket: flag('<path>', socketPath, '"stats socket" of the configuration', {
    default: '/var/lib/haproxy/run/haproxy.sock',
    hasInstances: true,
  }),
  stateFile: flag('<path>', absolutePath, '"server-state-file" of the configuration', {
    default: '/var/lib/haproxy/run/server-state',
    hasInstances: true,
  }),
  haproxy: flag('<path>', absolutePath, 'the program', { default: '/usr/sbin/haproxy' }),
};

const asSupervisor = "the same as the supervisor's";

/** The same flags with the monitor's help texts. */
export const haproxyMonitorFlags = {
  ...haproxyFlags,
  statsSocket: { ...haproxyFlags.statsSocket, help: asSupervisor },
  stateFile: { ...haproxyFlags.stateFile, help: asSupervisor },
  haproxy: { ...haproxyFlags.haproxy, help: 'the program, to validate rendered files' },
};
