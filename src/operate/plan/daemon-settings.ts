import {
  type HaproxyMonitorSettings,
  haproxyMonitorCommand,
  haproxyMonitorFields,
  haproxyMonitorSettings,
} from '../../api-lb/haproxy-monitor-settings.ts';
import { readCommandLine } from '../../cli/command-line.ts';
import type { SettingsFile } from '../../cli/settings-values.ts';
import { ConfigError } from '../../engine/system/errors.ts';
import {
  type HaproxySuperviseSettings,
  haproxySuperviseCommand,
  haproxySuperviseFields,
  haproxySuperviseSettings,
} from '../../haproxy/supervise/haproxy-supervise-settings.ts';
import {
  type KeepalivedSuperviseSettings,
  keepalivedSuperviseCommand,
  keepalivedSuperviseFields,
  keepalivedSuperviseSettings,
} from '../../keepalived/supervise/keepalived-supervise-settings.ts';
import {
  type KeepalivedMonitorSettings,
  keepalivedMonitorCommand,
  keepalivedMonitorFields,
  keepalivedMonitorSettings,
} from '../../vip/keepalived-monitor-settings.ts';
import type { Daemon, DaemonName } from './daemons.ts';

/** The settings that each installed daemon would run with. */
export interface DaemonSettings {
  readonly 'haproxy supervise'?: HaproxySuperviseSettings;
  readonly 'haproxy monitor'?: HaproxyMonitorSettings;
  readonly 'keepalived supervise'?: KeepalivedSuperviseSettings;
  readonly 'keepalived monitor'?: KeepalivedMonitorSettings;
}

const kinds = {
  'haproxy supervise': {
    command: haproxySuperviseCommand,
    fields: haproxySuperviseFields,
    parse: haproxySuperviseSettings,
  },
  'haproxy monitor': {
    command: haproxyMonitorCommand,
    fields: haproxyMonitorFields,
    parse: haproxyMonitorSettings,
  },
  'keepalived supervise': {
    command: keepalivedSuperviseCommand,
    fields: keepalivedSuperviseFields,
    parse: keepalivedSuperviseSettings,
  },
  'keepalived monitor': {
    command: keepalivedMonitorCommand,
    fields: keepalivedMonitorFields,
    parse: keepalivedMonitorSettings,
  },
} as const;

/** With this settings file, or without one. Throws a ConfigError with every daemon's problems. */
export function settingsOfDaemons(
  daemons: readonly Daemon[],
  file: SettingsFile | undefined,
): DaemonSettings {
  const problems: string[] = [];
  const found = daemons.flatMap((daemon) => {
    try {
      return [[daemon.name, settingsOf(daemon, file)] as const];
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(...error.problems);
      return [];
    }
  });
  if (problems.length > 0) throw new ConfigError([...new Set(problems)]);
  return Object.fromEntries(found);
}

function settingsOf({ name, argv, env }: Daemon, file: SettingsFile | undefined) {
  const { command, parse } = kinds[name];
  const line = readCommandLine(command, argv, env, () => file);
  return parse(line.kind === 'values' ? line.values : {}, env);
}

/** The settings file that this daemon was given; undefined if none, which means the default path. */
export function settingsPathOf({ name, argv, env }: Daemon): string | undefined {
  let path: string | undefined;
  const remember = (asked: string | undefined) => {
    path = asked;
    return undefined;
  };
  try {
    readCommandLine(kinds[name].command, argv, env, remember);
  } catch (error) {
    // Some arguments are only in the settings file.
    if (!(error instanceof ConfigError)) throw error;
  }
  return path;
}

/** Settings that a daemon accepts without using them, so that both pods can have the same flags. */
const UNUSED: Readonly<Partial<Record<DaemonName, readonly string[]>>> = { 'keepalived monitor': ['lbPort'] };

/** The keys of one daemon's settings that changed. */
export function changedKeys(
  name: DaemonName,
  before: DaemonSettings,
  after: DaemonSettings,
): readonly string[] {
  const [old, next] = [textsOf(before[name]), textsOf(after[name])];
  const isUsed = (key: string): boolean => key !== 'settings' && UNUSED[name]?.includes(key) !== true;
  return Object.keys(kinds[name].fields).filter((key) => isUsed(key) && old.get(key) !== next.get(key));
}

function textsOf(settings: object | undefined): ReadonlyMap<string, string> {
  return new Map(Object.entries(settings ?? {}).map(([key, value]) => [key, JSON.stringify(value)]));
}
