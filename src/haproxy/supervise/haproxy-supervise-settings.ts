import * as z from 'zod/mini';
import { commandSpec, flag, type SettingsOf, toggle } from '../../cli/command-spec.ts';
import {
  absolutePath,
  durationMs,
  durationOrNeverMs,
  mebibytes,
  parseDurationMs,
  wholeNumber,
} from '../../cli/fields.ts';
import { daemonFlags, defaultPorts, supervisorListen } from '../../cli/shared-flags.ts';
import { ConfigError } from '../../engine/system/errors.ts';
import { haproxyFlags } from './haproxy-flags.ts';

const { instance, socket, statsSocket, stateFile, haproxy } = haproxyFlags;

/** openshift-router has 30 s. The manifests' grace periods are based on this value. */
const DRAIN_TIMEOUT_MS = 55_000;
const FORCE_DELETE_TIMEOUT_MS = 120_000;
/** openshift-router's variables: for HAProxy in its own container, and for its reload script. */
const drainVariables = ['HAPROXY_MAX_SHUTDOWN_TIMEOUT', 'ROUTER_MAX_SHUTDOWN_TIMEOUT'];

export const haproxySuperviseCommand = commandSpec({
  name: 'haproxy supervise',
  section: 'haproxy',
  summary:
    'Supervises HAProxy: starts it, reloads it without losing a connection, restarts it and drains old processes.',
  flags: {
    instance,
    config: flag('<path>', absolutePath, "HAProxy's configuration", {
      default: '/etc/haproxy/haproxy.cfg',
      hasInstances: true,
    }),
    socket,
    statsSocket,
    pidFile: flag('<path>', absolutePath, "the master's pid", {
      default: '/var/lib/haproxy/run/haproxy.pid',
      hasInstances: true,
    }),
    stateFile,
    haproxy,
    drainTimeout: flag(
      '<duration>',
      z.optional(durationMs),
      'how long connections may last after SIGTERM (else HAPROXY_MAX_SHUTDOWN_TIMEOUT or ROUTER_MAX_SHUTDOWN_TIMEOUT in seconds, else 55s)',
    ),
    forceDeleteTimeout: flag(
      '<duration|never>',
      z.optional(durationOrNeverMs),
      'how long a replaced generation may drain; with "never", 24 days (else OLD_HAPROXY_PS_FORCE_DEL_TIMEOUT in seconds, else 120s)',
    ),
    startTimeout: flag(
      '<duration>',
      durationMs,
      'how long a new generation may take to serve, per 2 MiB of its configuration and 500 files',
      { default: '10s' },
    ),
    maxDraining: flag(
      '<n>',
      wholeNumber(1, 1_000),
      'maximum number of draining generations; beyond that the oldest are ended',
      { default: '50' },
    ),
    maxDrainingMemory: flag(
      '<MiB>',
      z.optional(mebibytes),
      "memory limit in MiB for all draining generations (default: half of the container's or node's memory)",
    ),
    failForcedStop: toggle('exit 1 if SIGTERM had to close connections, as openshift-router does'),
    dropSynDuringRestart: toggle(
      'for an HAProxy that does not hand over listeners: drop new connections with nftables while it is replaced',
      { variable: 'DROP_SYN_DURING_RESTART', inFile: 'never' },
    ),
    listen: supervisorListen(defaultPorts.haproxySupervisor),
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
    'The control socket reads one request per line (reload, status) and answers each with a line of JSON.',
    'SIGHUP reloads. SIGTERM fails the health check for a second, then drains; a second SIGTERM ends the draining generations.',
    'Exit codes: 0 stopped on request, 1 runtime failure, 2 invalid usage or configuration.',
  ],
  derive: ({ drainTimeout, forceDeleteTimeout, ...settings }, env) => ({
    ...settings,
    drainTimeout: drainTimeout ?? secondsOf(env, drainVariables) ?? DRAIN_TIMEOUT_MS,
    forceDeleteTimeout:
      forceDeleteTimeout ?? secondsOf(env, ['OLD_HAPROXY_PS_FORCE_DEL_TIMEOUT']) ?? FORCE_DELETE_TIMEOUT_MS,
  }),
});

export type HaproxySuperviseSettings = SettingsOf<typeof haproxySuperviseCommand>;

/** The value of the first variable that is set, in seconds without a unit. An empty variable is not set. */
function secondsOf(env: NodeJS.ProcessEnv, names: readonly string[]): number | undefined {
  const name = names.find((each) => env[each]);
  if (name === undefined) return undefined;
  const text = env[name] ?? '';
  const timeoutMs = /^\d+(?:\.\d+)?$/.test(text) ? parseDurationMs(`${text}s`) : undefined;
  if (timeoutMs !== undefined) return timeoutMs;
  throw new ConfigError([`Cannot use ${name} "${text}": expected a number of seconds`]);
}
