import * as z from 'zod/mini';
import type { CommandSpec } from '../../cli/command-line.ts';
import { durationMs } from '../../cli/duration.ts';
import { absolutePath, optionalListenAddress, socketPath } from '../../cli/fields.ts';
import { parseSettings } from '../../cli/parse-settings.ts';
import { defaultPorts } from '../../cli/ports.ts';
import { journalFlag, logLevelFlag } from '../../cli/shared-flags.ts';

export const keepalivedSuperviseCommand: CommandSpec = {
  name: 'keepalived supervise',
  section: 'keepalived',
  summary: "Owns keepalived's process: starts, reloads and restarts it, and removes stale VIPs.",
  positionals: [],
  flags: [
    {
      flag: '--config <path>',
      help: "keepalived's configuration",
      default: '/etc/keepalived/keepalived.conf',
    },
    {
      flag: '--socket <path>',
      help: 'control socket',
      default: '/var/run/keepalived/keepalived.sock',
      inFile: 'never',
    },
    {
      flag: '--run-dir <path>',
      help: 'where notify.fifo, vrrp-state.json and the accepted copy of the configuration are',
      default: '/var/run/keepalived',
    },
    { flag: '--keepalived <path>', help: 'the program', default: '/usr/sbin/keepalived' },
    {
      flag: '--realtime-priority <priority>',
      help: 'real-time priority (SCHED_RR) of keepalived if permitted, or "off"',
      default: '20',
    },
    {
      flag: '--monitor-timeout <duration>',
      help: 'a track file older than this means that its monitor is dead or hangs',
      default: '3s',
    },
    {
      flag: '--listen <address:port>',
      help: 'where /healthz, /metrics and /status are, or "off"; an address in use is retried',
      default: `127.0.0.1:${defaultPorts.keepalivedSupervisor}`,
      // The key of that name is the monitor's.
      inFile: 'never',
    },
    journalFlag,
    logLevelFlag,
  ],
  examples: [
    ['hawser keepalived supervise', 'as the static pod does'],
    ['hawser keepalived supervise --realtime-priority off', 'where a real-time priority is not permitted'],
  ],
  notes: [
    'The control socket takes one line a request (reload, stop, leave, start, status, ping) and answers each with a line of JSON.',
    'keepalived runs on a copy of the configuration that passed keepalived --config-test, in the run directory.',
    'SIGHUP reloads. SIGTERM resigns, removes the VIPs and exits with 0; a second one kills keepalived.',
    'Exit codes: 0 asked to stop, 1 failure at run time, 2 usage or configuration.',
  ],
};

const realtimePriority = z.pipe(
  z.string().check(z.regex(/^(off|[1-9]|[1-9]\d)$/, { error: 'expected 1 to 99, or "off"' })),
  z.transform((text) => (text === 'off' ? undefined : Number(text))),
);

/** Also of the settings file's keys. */
export const keepalivedSuperviseFields = {
  config: absolutePath,
  socket: socketPath,
  runDir: absolutePath,
  keepalived: absolutePath,
  realtimePriority,
  monitorTimeout: durationMs,
  listen: optionalListenAddress,
  journal: z.optional(absolutePath),
  logLevel: z.enum(['debug', 'info', 'warn', 'error'], { error: 'expected debug, info, warn or error' }),
};

const schema = z.object(keepalivedSuperviseFields);

export type KeepalivedSuperviseSettings = z.infer<typeof schema>;

/** Throws a ConfigError that lists every problem. Durations come out in milliseconds. */
export function keepalivedSuperviseSettings(
  values: Readonly<Record<string, unknown>>,
): KeepalivedSuperviseSettings {
  return parseSettings(schema, values);
}
