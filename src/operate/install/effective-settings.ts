import { createHash } from 'node:crypto';
import { settingsTyped } from '../../cli/command-line.ts';
import type { CommandSpec } from '../../cli/command-spec.ts';
import { parseSettingsFile } from '../../cli/parse-settings-file.ts';
import type { Pod, PodNeeds, PodVips } from '../../cli/pod.ts';
import { settingsKeys } from '../../cli/settings-keys.ts';
import type { SettingsValues } from '../../cli/settings-values.ts';
import { ConfigError } from '../../engine/system/errors.ts';

/** What the settings of this node mean for its pods. */
export interface EffectiveSettings {
  readonly pods: readonly EffectivePod[];
  readonly vips: PodVips;
}

export interface EffectivePod extends PodNeeds {
  readonly pod: Pod;
  /** Of its values: it changes if and only if the pod has to be restarted. */
  readonly digest: string;
}

const NO_VIPS: PodVips = { all: [], api: [], apiPort: 0, healthPort: 0, problemsOf: async () => [] };

/** All that the settings file of these pods may have. */
export function keysOf(pods: readonly Pod[]) {
  return settingsKeys(pods.flatMap(({ daemons }) => daemons));
}

/** Reads a settings file as all daemons would. Throws a ConfigError with the problems of the first one that has any. */
export function effectiveSettings(text: string, path: string, pods: readonly Pod[]): EffectiveSettings {
  const parsed = parseSettingsFile(text, path, keysOf(pods));
  if (parsed.kind === 'problems') throw new ConfigError(parsed.problems);
  const { values } = parsed;
  // The environment of this process is not that of the pods.
  const settingsOf = <Settings>(spec: CommandSpec<Settings>): Settings =>
    settingsTyped(spec, filesOf(spec), {}, () => ({ path, values }));
  for (const spec of pods.flatMap(({ daemons }) => daemons)) settingsOf(spec);
  const effective = pods.map((pod) => ({
    ...{ pod, digest: digestOf(values, pod.name) },
    ...pod.needs(settingsOf),
  }));
  return { pods: effective, vips: effective.flatMap(({ vips }) => vips ?? [])[0] ?? NO_VIPS };
}

/** The manifests name the files that a daemon takes as arguments. */
function filesOf({ positionals }: CommandSpec): readonly string[] {
  return Object.keys(positionals).map((name) => `/${name}`);
}

function digestOf(values: SettingsValues, section: string): string {
  const lines = ['top', section].flatMap((place) =>
    Object.entries(values[place] ?? {}).map(([key, { value }]) => `${place}.${key}=${value}`),
  );
  return createHash('sha256').update(lines.toSorted().join('\n')).digest('hex').slice(0, 16);
}

/** Every port on which a pod listens, with its key in the settings file. */
export function portsOf({ pods }: EffectiveSettings): PodNeeds['ports'] {
  return pods.flatMap(({ ports }) => ports);
}
