import * as z from 'zod/mini';
import { commandSpec, flag, jsonFlag, type SettingsOf, toggle } from '../../cli/command-spec.ts';
import { absolutePath, durationMs, socketPath } from '../../cli/fields.ts';
import { daemonFlags, defaultPorts, supervisorListen } from '../../cli/shared-flags.ts';

/** The supervisor's socket within its pod, unless a flag overrides it. */
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
    'The control socket reads one request per line (reload, stop, start, status) and answers each with a line of JSON.',
    'keepalived runs on a copy of the configuration that passed keepalived --config-test, in the run directory.',
    'SIGHUP reloads. SIGTERM resigns, removes the VIPs and exits with 0; a second one kills keepalived.',
    'Exit codes: 0 stopped on request, 1 runtime failure, 2 invalid usage or configuration.',
  ],
});

export type KeepalivedSuperviseSettings = SettingsOf<typeof keepalivedSuperviseCommand>;

const flags = {
  socket: keepalivedFlags.socket,
  timeout: flag('<duration>', durationMs, 'how long to wait for the answer', { default: '30s' }),
  json: jsonFlag('print the raw answer'),
};

export const keepalivedReloadCommand = commandSpec({
  name: 'keepalived reload',
  summary:
    'Requests a reload from the supervisor and prints its answer when keepalived uses the configuration.',
  flags,
  examples: [['hawser keepalived reload', 'after a manual edit; a refusal changes nothing']],
  notes: ['Exit codes: 0 keepalived uses the configuration, 1 refused or no answer, 2 usage.'],
});

export const keepalivedStatusCommand = commandSpec({
  name: 'keepalived status',
  summary: 'Shows which VIPs this node holds, since when and why.',
  flags: { ...flags, alive: toggle('exit with 0 for any answer, for use as a probe') },
  examples: [
    ['hawser keepalived status'],
    ["hawser keepalived status --json | jq -r '.instances[] | [.name, .state] | @tsv'"],
  ],
  notes: ['Exit codes: 0 keepalived runs or was stopped on request, 1 it does not or no answer, 2 usage.'],
});

export const keepalivedStopCommand = commandSpec({
  name: 'keepalived stop',
  summary: 'Gives up the VIPs and stops keepalived; the supervisor keeps running.',
  flags,
  examples: [
    [
      'hawser keepalived stop',
      'out of the group until hawser keepalived start or a restart of the container',
    ],
  ],
  notes: [
    'For work on a node, hawser drain is gentler.',
    'Exit codes: 0 done, 1 refused or no answer, 2 usage.',
  ],
});

export const keepalivedStartCommand = commandSpec({
  name: 'keepalived start',
  summary: 'Starts a keepalived that was stopped: this node may hold VIPs again.',
  flags,
  examples: [['hawser keepalived start', 'after hawser keepalived stop']],
  notes: ['Exit codes: 0 keepalived runs, 1 refused or no answer, 2 usage.'],
});
