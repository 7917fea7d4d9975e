import { createHash } from 'node:crypto';
import { settingsTyped } from '../../cli/command-line.ts';
import type { CommandSpec, SettingsValues } from '../../cli/command-spec.ts';
import { parseSettingsFile } from '../../cli/parse-settings-file.ts';
import type { Pod, PodNeeds, PodVips } from '../../cli/pod.ts';
import { type SettingsKey, settingsKeys } from '../../cli/settings-form.ts';
import { ConfigError } from '../../engine/system/errors.ts';
import { layout } from './layout.ts';

/** The pods of this node, as its settings file determines them. */
export interface EffectiveSettings {
  readonly isWorker: boolean;
  /** The pods that belong on this node. */
  readonly pods: readonly EffectivePod[];
  readonly vips: PodVips;
}

export interface EffectivePod extends PodNeeds {
  readonly pod: Pod;
  /** Digest of the settings of this pod's daemons. It changes if and only if the pod must be restarted. */
  readonly digest: string;
}

const NO_VIPS: PodVips = { all: [], api: [], apiPort: 0, healthPort: 0, problemsOf: async () => [] };

/** The pods that can be installed, and all keys that the settings file may contain, including those of other programs. */
export interface Installable {
  readonly pods: readonly Pod[];
  readonly keys: readonly SettingsKey[];
}

/** Reads a settings file as every daemon does. Throws a ConfigError with the problems of the first daemon that refuses it. */
export function effectiveSettings(text: string, { pods, keys }: Installable): EffectiveSettings {
  const path = layout.settings;
  const parsed = parseSettingsFile(text, path, keys);
  if (parsed.kind === 'problems') throw new ConfigError(parsed.problems);
  const { values } = parsed;
  // Ignores the environment of this process, because the pods do not have it.
  const settingsOf = <Settings>(spec: CommandSpec<Settings>): Settings =>
    settingsTyped(spec, [...filesOf(spec), `--settings=${path}`], {}, () => ({ path, values }));
  const isWorker = values.top['worker']?.value === true;
  const here = isWorker ? pods.filter(({ onWorkers }) => onWorkers) : pods;
  for (const pod of here) for (const spec of pod.daemons) settingsOf(spec);
  const effective = here.map((pod) => ({ pod, digest: digestOf(values, pod), ...pod.needs(settingsOf) }));
  return { isWorker, pods: effective, vips: effective.flatMap(({ vips }) => vips ?? [])[0] ?? NO_VIPS };
}

/** Placeholders for the file arguments of a daemon, which the manifests set. */
function filesOf({ positionals }: CommandSpec): readonly string[] {
  return Object.keys(positionals).map((name) => `/${name}`);
}

/** Covers only the keys of this pod's daemons, so that a setting of another pod does not restart it. */
export function digestOf(values: SettingsValues, { daemons }: Pod): string {
  const lines = settingsKeys(daemons).flatMap(({ place, key }) => {
    const found = values[place]?.[key];
    return found === undefined ? [] : [`${place}.${key}=${found.value}`];
  });
  return createHash('sha256').update(lines.toSorted().join('\n')).digest('hex').slice(0, 16);
}

/** Every port on which a pod listens, with its key in the settings file. */
export function portsOf({ pods }: EffectiveSettings): PodNeeds['ports'] {
  return pods.flatMap(({ ports }) => ports);
}
