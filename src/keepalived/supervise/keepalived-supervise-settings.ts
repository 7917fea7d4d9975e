import * as z from 'zod/mini';
import { commandSpec, flag, type SettingsOf } from '../../cli/command-spec.ts';
import { absolutePath, durationMs } from '../../cli/fields.ts';
import { daemonFlags, defaultPorts, supervisorListen } from '../../cli/shared-flags.ts';
import { keepalivedFlags } from './keepalived-flags.ts';

const realtimePriority = z.pipe(
  z.string().check(z.regex(/^(off|[1-9]|[1-9]\d)$/, { error: 'expected 1 to 99, or "off"' })),
  z.transform((text) => (text === 'off' ? undefined : Number(text))),
);

export const keepalivedSuperviseCommand = commandSpec({
  name: 'keepalived supervise',
  section: 'keepalived',
  summary: "Owns keepalived's process: starts, reloads and restarts it, and removes stale VIPs.",
  flags: {
    config: flag('<path>', absolutePath, "keepalived's configuration", {
      default: '/etc/hawser-keepalived/keepalived.conf',
    }),
    ...keepalivedFlags,
    realtimePriority: flag(
      '<priority>',
      realtimePriority,
      'real-time priority (SCHED_RR) of keepalived if permitted, or "off"',
      { default: '20' },
    ),
    monitorTimeout: flag(
      '<duration>',
      durationMs,
      'a monitor whose track file is older than this is considered dead or hung',
      { default: '3s' },
    ),
    listen: supervisorListen(defaultPorts.keepalivedSupervisor),
    ...daemonFlags,
  },
  examples: [
    ['hawser keepalived supervise', 'as the static pod does'],
    ['hawser keepalived supervise --realtime-priority off', 'where a real-time priority is not permitted'],
  ],
  notes: [
    'The control socket takes one line a request (reload, stop, start, status) and answers each with a line of JSON.',
    'keepalived runs on a copy of the configuration that passed keepalived --config-test, in the run directory.',
    'SIGHUP reloads. SIGTERM resigns, removes the VIPs and exits with 0; a second one kills keepalived.',
    'Exit codes: 0 asked to stop, 1 failure at run time, 2 usage or configuration.',
  ],
});

export type KeepalivedSuperviseSettings = SettingsOf<typeof keepalivedSuperviseCommand>;
