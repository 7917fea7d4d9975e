import * as z from 'zod/mini';
import { commandSpec, type SettingsOf } from '../../cli/command-spec.ts';
import { durationMs, parseDurationMs } from '../../cli/duration.ts';
import { absolutePath, optionalListenAddress, socketPath } from '../../cli/fields.ts';
import { defaultPorts } from '../../cli/ports.ts';
import { daemonFlags } from '../../cli/shared-flags.ts';
import { ConfigError } from '../../engine/system/errors.ts';

export const haproxySuperviseCommand = commandSpec({
  name: 'haproxy supervise',
  section: 'haproxy',
  summary: "Owns HAProxy's processes: starts, reloads without losing a connection, restarts and drains them.",
  flags: {
    config: {
      value: '<path>',
      help: "HAProxy's configuration",
      default: '/etc/haproxy/haproxy.cfg',
      field: absolutePath,
    },
    socket: {
      value: '<path>',
      help: 'control socket',
      default: '/var/run/haproxy/haproxy-master.sock',
      inFile: 'never',
      field: socketPath,
    },
    statsSocket: {
      value: '<path>',
      help: '"stats socket" of the configuration',
      default: '/var/lib/haproxy/run/haproxy.sock',
      field: socketPath,
    },
    pidFile: {
      value: '<path>',
      help: "the master's pid",
      default: '/var/lib/haproxy/run/haproxy.pid',
      field: absolutePath,
    },
    stateFile: {
      value: '<path>',
      help: '"server-state-file" of the configuration',
      default: '/var/lib/haproxy/run/server-state',
      field: absolutePath,
    },
    haproxy: { value: '<path>', help: 'the program', default: '/usr/sbin/haproxy', field: absolutePath },
    drainTimeout: {
      value: '<duration>',
      help: 'how long connections may last after SIGTERM',
      default: '55s',
      field: durationMs,
    },
    forceDeleteTimeout: {
      value: '<duration>',
      help: 'how long a replaced generation may drain (else OLD_HAPROXY_PS_FORCE_DEL_TIMEOUT in seconds, else 120s)',
      field: z.optional(durationMs),
    },
    startTimeout: {
      value: '<duration>',
      help: 'how long a new generation may take to serve',
      default: '10s',
      field: durationMs,
    },
    listen: {
      value: '<address:port>',
      help: 'where /healthz, /metrics and /status are, or "off"; an address in use is retried',
      default: `127.0.0.1:${defaultPorts.haproxySupervisor}`,
      field: optionalListenAddress,
      // The key of that name is the monitor's.
      inFile: 'never',
    },
    ...daemonFlags,
  },
  examples: [
    ['hawser haproxy supervise', 'as the static pod does'],
    [
      'hawser haproxy supervise --force-delete-timeout 10m',
      'long sessions may outlive a reload by ten minutes',
    ],
  ],
  notes: [
    'The control socket takes one line a request (reload, status, ping) and answers each with a line of JSON.',
    'SIGHUP reloads. SIGTERM drains and exits with 0; a second one ends what still drains.',
    'Exit codes: 0 asked to stop, 1 failure at run time, 2 usage or configuration.',
  ],
  derive: (settings, env) => ({
    ...settings,
    forceDeleteTimeout:
      settings.forceDeleteTimeout ?? originalTimeoutMs(env['OLD_HAPROXY_PS_FORCE_DEL_TIMEOUT']),
  }),
});

export type HaproxySuperviseSettings = SettingsOf<typeof haproxySuperviseCommand>;

/** The variable of the original pods: seconds, without a unit. Unset and empty mean their default. */
function originalTimeoutMs(seconds: string | undefined): number {
  const text = seconds || '120';
  const timeoutMs = /^\d+(?:\.\d+)?$/.test(text) ? parseDurationMs(`${text}s`) : undefined;
  if (timeoutMs !== undefined) return timeoutMs;
  throw new ConfigError([
    `Cannot use OLD_HAPROXY_PS_FORCE_DEL_TIMEOUT "${seconds}": expected a number of seconds`,
  ]);
}
