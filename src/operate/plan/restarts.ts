import { changedKeys, type DaemonSettings } from './daemon-settings.ts';
import type { Daemon } from './daemons.ts';
import type { ManifestChange } from './manifest-changes.ts';
import type { PlanReport } from './report.ts';
import type { ReadSettings } from './settings-files.ts';

export type Restart = PlanReport['restarts'][number];

/** The precision of a process's start time: `btime` counts in seconds. */
const CLOCK_SLACK_MS = 2_000;

/**
 * The containers that must be restarted for these settings to take effect, since a daemon reads them when it starts.
 * `before` is undefined if the current file is the one they should have read; then its age decides.
 */
export function restartsFor(
  daemons: readonly Daemon[],
  after: DaemonSettings,
  before: DaemonSettings | undefined,
  present: ReadSettings | undefined,
): readonly Restart[] {
  return daemons.flatMap((daemon, index): readonly Restart[] => {
    const { container, startedAtMs } = daemon;
    const keys = before === undefined ? [] : changedKeys(daemon, before[index], after[index]);
    if (keys.length > 0) return [{ container, because: 'settings', keys: [...keys] }];
    const isOlder =
      present !== undefined &&
      startedAtMs !== undefined &&
      startedAtMs + CLOCK_SLACK_MS < present.writtenAtMs;
    return isOlder ? [{ container, because: 'older-than-settings', keys: [] }] : [];
  });
}

/** Each container once: the kubelet replaces all containers of a pod whose manifest changes. */
export function withManifests(
  restarts: readonly Restart[],
  manifests: readonly ManifestChange[],
): readonly Restart[] {
  const named = new Set(restarts.map(({ container }) => container));
  const replaced = manifests.flatMap((manifest) => manifest.containers);
  return [
    ...restarts,
    ...replaced.flatMap((container): readonly Restart[] =>
      named.has(container) ? [] : [{ container, because: 'manifest', keys: [] }],
    ),
  ];
}
