import type { CommandSpec, SettingsReader } from '../../cli/command-spec.ts';
import type { HostFiles } from '../../engine/examine/host-files.ts';
import { ConfigError } from '../../engine/system/errors.ts';
import { settingsOfDaemon } from '../daemons/daemon-settings.ts';
import { type Daemon, findRunning } from '../daemons/daemons.ts';
import { presentSettings } from '../daemons/settings-files.ts';
import type { DeployedDaemon } from './look/context.ts';

/** The daemons of pods that hawser does not install, as they run here. One whose settings cannot be read is left out. */
export async function deployedHere(
  files: HostFiles,
  specs: readonly CommandSpec[],
  readSettings: SettingsReader,
): Promise<readonly DeployedDaemon[]> {
  const daemons = await findRunning(files, specs);
  return daemons.flatMap((daemon) => {
    const settings = settingsOf(daemon, readSettings);
    return settings === undefined ? [] : { spec: daemon.spec, settings };
  });
}

function settingsOf(daemon: Daemon, readSettings: SettingsReader): unknown {
  try {
    const file = presentSettings([daemon], readSettings);
    return settingsOfDaemon([daemon], file?.file)(daemon.spec);
  } catch (error) {
    // Another command may begin with the same word.
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}
