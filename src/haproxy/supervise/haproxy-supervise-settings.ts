import * as z from 'zod/mini';
import type { CommandSpec } from '../../cli/command-line.ts';
import { durationMs } from '../../cli/duration.ts';
import { absolutePath, optionalListenAddress, socketPath } from '../../cli/fields.ts';
import { parseSettings } from '../../cli/parse-settings.ts';
import { defaultPorts } from '../../cli/ports.ts';
import { journalFlag, logLevelFlag } from '../../cli/shared-flags.ts';
import { ConfigError } from '../../engine/system/errors.ts';

export const haproxySuperviseCommand: CommandSpec = {
  name: 'haproxy supervise',
  section: 'haproxy',
  summary: "Owns HAProxy's processes: starts, reloads without losing a connection, restarts and drains them.",
  positionals: [],
  flags: [
    { flag: '--config <path>', help: "HAProxy's configuration", default: '/etc/haproxy/haproxy.cfg' },
    {
      flag: '--socket <path>',
      help: 'control socket',
      default: '/var/run/haproxy/haproxy-master.sock',
      inFile: 'never',
    },
    {
      flag: '--stats-socket <path>',
      help: '"stats socket" of the configuration',
      default: '/var/lib/haproxy/run/haproxy.sock',
    },
    { flag: '--pid-file <path>', help: "the master's pid", default: '/var/lib/haproxy/run/haproxy.pid' },
    {
      flag: '--state-file <path>',
      help: '"server-state-file" of the configuration',
      default: '/var/lib/haproxy/run/server-state',
    },
    { flag: '--haproxy <path>', help: 'the program', default: '/usr/sbin/haproxy' },
    {
      flag: '--drain-timeout <duration>',
      help: 'how long connections may last after SIGTERM',
      default: '55s',
    },
    {
      flag: '--force-delete-timeout <duration>',
      help: 'how long a replaced generation may drain (else OLD_HAPROXY_PS_FORCE_DEL_TIMEOUT in seconds, else 120s)',
    },
    {
      flag: '--start-timeout <duration>',
      help: 'how long a new generation may take to serve',
      default: '10s',
    },
    {
      flag: '--listen <address:port>',
      help: 'where /healthz, /metrics and /status are, or "off"; an address in use is retried',
      default: `127.0.0.1:${defaultPorts.haproxySupervisor}`,
      // The key of that name is the monitor's.
      inFile: 'never',
    },
    journalFlag,
    logLevelFlag,
  ],
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
};

/** Also of the settings file's keys. */
export const haproxySuperviseFields = {
  config: absolutePath,
  socket: socketPath,
  statsSocket: socketPath,
  pidFile: absolutePath,
  stateFile: absolutePath,
  haproxy: absolutePath,
  drainTimeout: durationMs,
  forceDeleteTimeout: durationMs,
  startTimeout: durationMs,
  listen: optionalListenAddress,
  journal: z.optional(absolutePath),
  logLevel: z.enum(['debug', 'info', 'warn', 'error'], { error: 'expected debug, info, warn or error' }),
};

const schema = z.object(haproxySuperviseFields);

export type HaproxySuperviseSettings = z.infer<typeof schema>;

/** Throws a ConfigError that lists every problem. Durations come out in milliseconds. */
export function haproxySuperviseSettings(
  values: Readonly<Record<string, unknown>>,
  env: NodeJS.ProcessEnv,
): HaproxySuperviseSettings {
  const forceDeleteTimeout =
    values['forceDeleteTimeout'] ?? fieldTimeout(env['OLD_HAPROXY_PS_FORCE_DEL_TIMEOUT']);
  return parseSettings(schema, { ...values, forceDeleteTimeout });
}

/** The variable of the original pods: seconds, without a unit. Unset and empty mean their default. */
function fieldTimeout(seconds: string | undefined): string {
  if (seconds === undefined || seconds === '') return '120s';
  if (/^\d+(?:\.\d+)?$/.test(seconds)) return `${seconds}s`;
  throw new ConfigError([
    `Cannot use OLD_HAPROXY_PS_FORCE_DEL_TIMEOUT "${seconds}": expected a number of seconds`,
  ]);
}
