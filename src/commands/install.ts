import type { SettingsOf } from '../cli/command-spec.ts';
import { install } from '../operate/install/install.ts';
import { installCommand } from '../operate/install/install-settings.ts';
import { installable } from './pods.ts';

export const spec = installCommand;

export const run = async (settings: SettingsOf<typeof spec>): Promise<number> =>
  await install(settings, installable);
