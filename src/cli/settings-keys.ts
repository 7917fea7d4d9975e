import { Option } from 'commander';
import type * as z from 'zod/mini';
import { haproxyMonitorCommand, haproxyMonitorFields } from '../api-lb/haproxy-monitor-settings.ts';
import {
  haproxySuperviseCommand,
  haproxySuperviseFields,
} from '../haproxy/supervise/haproxy-supervise-settings.ts';
import {
  keepalivedSuperviseCommand,
  keepalivedSuperviseFields,
} from '../keepalived/supervise/keepalived-supervise-settings.ts';
import { keepalivedMonitorCommand, keepalivedMonitorFields } from '../vip/keepalived-monitor-settings.ts';
import { type CommandSpec, camelCase, type Flag, variableOf } from './command-line.ts';
import type { Section } from './settings-values.ts';

export type Place = 'top' | Section;

/** One key that the settings file may have. */
export interface SettingsKey {
  readonly place: Place;
  readonly key: string;
  readonly help: string;
  readonly default: string | undefined;
  /** `--advert-interval`, or `KUBECONFIG`: what takes precedence over it. */
  readonly typed: string;
  /** `HAWSER_ADVERT_INTERVAL`; an argument has none. */
  readonly variable: string | undefined;
  /** Takes what the flag takes. */
  readonly field: z.ZodMiniType;
}

/** The daemons, whose flags are the keys of the file. */
const daemons: readonly {
  readonly command: CommandSpec;
  readonly fields: Readonly<Record<string, z.ZodMiniType>>;
}[] = [
  { command: haproxySuperviseCommand, fields: haproxySuperviseFields },
  { command: haproxyMonitorCommand, fields: haproxyMonitorFields },
  { command: keepalivedSuperviseCommand, fields: keepalivedSuperviseFields },
  { command: keepalivedMonitorCommand, fields: keepalivedMonitorFields },
];

/** Every key once, in the order of the commands' flags. A flag that is added to a daemon is a key from then on. */
export function settingsKeys(): readonly SettingsKey[] {
  const all = daemons.flatMap(({ command, fields }) => [
    ...command.positionals.flatMap(({ name, help, inFile }) =>
      keyOf(command, fields, { key: camelCase(name), typed: name, help, inFile }),
    ),
    ...command.flags.flatMap((flag) => keyOf(command, fields, factsOf(flag))),
  ]);
  return all.filter(
    ({ place, key }, index) => index === all.findIndex((each) => each.place === place && each.key === key),
  );
}

interface Facts {
  readonly key: string;
  readonly help: string;
  readonly typed: string;
  readonly variable?: string;
  readonly default?: string | undefined;
  readonly inFile?: Flag['inFile'] | undefined;
}

function factsOf(flag: Flag): Facts {
  const option = new Option(flag.flag);
  return { ...flag, key: option.attributeName(), typed: `--${option.name()}`, variable: variableOf(option) };
}

function keyOf(
  { section }: CommandSpec,
  fields: Readonly<Record<string, z.ZodMiniType>>,
  { key, help, typed, variable, inFile, default: fallback }: Facts,
): readonly SettingsKey[] {
  const field = fields[key];
  if (inFile === 'never' || section === undefined || field === undefined) return [];
  return [{ place: inFile ?? section, key, help, typed, variable, default: fallback, field }];
}
