import type { CommandSpec } from '../../cli/command-spec.ts';
import type { SettingsReader } from '../../cli/settings-values.ts';
import { ConfigError } from '../../engine/system/errors.ts';
import { settingsOfDaemon } from '../daemons/daemon-settings.ts';
import type { Daemon } from '../daemons/daemons.ts';
import { presentSettings } from '../daemons/settings-files.ts';
import type { InstalledInstance, ProgramPage } from './look/context.ts';

/** Each instance with a name, with the settings of its daemons by their arguments and by the file that those name. */
export function instancesHere(
  daemons: readonly Daemon[],
  readSettings: SettingsReader,
): readonly InstalledInstance[] {
  const names = [...new Set(daemons.flatMap(({ instance }) => instance ?? []))];
  return names.map((name) => {
    const own = daemons.filter(({ instance }) => instance === name);
    const settingsOf = <Settings>(spec: CommandSpec<Settings>): Settings | undefined => {
      const file = presentSettings(name, own, readSettings)?.file;
      return settingsOfDaemon(own, file)(spec);
    };
    const problems = [...new Set(own.flatMap(({ spec }) => problemsOf(() => settingsOf(spec))))];
    return { name, problems, settingsOf: problems.length === 0 ? settingsOf : () => undefined };
  });
}

function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

/** Where the programs of the instances have their pages. */
export function pagesOfInstances(
  instances: readonly InstalledInstance[],
  specs: readonly CommandSpec[],
): readonly ProgramPage[] {
  return instances.flatMap(({ name, settingsOf }) =>
    specs.flatMap((spec) => {
      // No daemon has the field with another meaning.
      const known = settingsOf(spec) as { readonly listen?: { readonly port: number } } | undefined;
      return known?.listen === undefined
        ? []
        : { program: spec.name, instance: name, port: known.listen.port };
    }),
  );
}
