import { settingsTyped } from '../../cli/command-line.ts';
import { keepalivedSuperviseCommand } from '../../keepalived/supervise/keepalived-supervise-settings.ts';
import type { SupervisorPage } from './manifest-probes.ts';

/** As the supervisor itself reads them. Throws a ConfigError for arguments that it would refuse. */
export const supervisorPage: SupervisorPage = ([program, command, ...argv], env) => {
  if (program !== 'keepalived' || command !== 'supervise') return undefined;
  // Its page is no key of the settings file.
  return settingsTyped(keepalivedSuperviseCommand, argv, env, () => undefined).listen ?? 'off';
};
