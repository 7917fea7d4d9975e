import * as z from 'zod/mini';
import { commandSpec, type SettingsOf } from '../../cli/command-spec.ts';
import { durationMs } from '../../cli/duration.ts';
import { absolutePath, optionalListenAddress, socketPath } from '../../cli/fields.ts';
import { defaultPorts } from '../../cli/ports.ts';
import { daemonFlags } from '../../cli/shared-flags.ts';

const realtimePriority = z.pipe(
  z.string().check(z.regex(/^(off|[1-9]|[1-9]\d)$/, { error: 'expected 1 to 99, or "off"' })),
  z.transform((text) => (text === 'off' ? undefined : Number(text))),
);

export const keepalivedSuperviseCommand = commandSpec({
  name: 'keepalived supervise',
  section: 'keepalived',
  summary: "Owns keepalived's process: starts, reloads and restarts it, and removes stale VIPs.",
  flags: {
    config: {
      value: '<path>',
      help: "keepalived's configuration",
      default: '/etc/keepalived/keepalived.conf',
      field: absolutePath,
    },
    socket: {
      value: '<path>',
      help: 'control socket',
      default: '/var/run/keepalived/keepalived.sock',
      inFile: 'never',
      field: socketPath,
    },
    runDir: {
      value: '<path>',
      help: 'where notify.fifo, vrrp-state.json and the accepted copy of the configuration are',
      default: '/var/run/keepalived',
      field: absolutePath,
    },
    keepalived: {
      value: '<path>',
      help: 'the program',
      default: '/usr/sbin/keepalived',
      field: absolutePath,
    },
    realtimePriority: {
      value: '<priority>',
      help: 'real-time priority (SCHED_RR) of keepalived if permitted, or "off"',
      default: '20',
      field: realtimePriority,
    },
    monitorTimeout: {
      value: '<duration>',
      help: 'a track file older than this means that its monitor is dead or hangs',
      default: '3s',
      field: durationMs,
    },
    listen: {
      value: '<address:port>',
      help: 'where /healthz, /metrics and /status are, or "off"; an address in use is retried',
      default: `127.0.0.1:${defaultPorts.keepalivedSupervisor}`,
      field: optionalListenAddress,
      // The key of that name is the monitor's.
      inFile: 'never',
    },
    ...daemonFlags,
  },
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
});

export type KeepalivedSuperviseSettings = SettingsOf<typeof keepalivedSuperviseCommand>;
