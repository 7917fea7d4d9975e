import { install } from '../operate/install/install.ts';
import { installCommand } from '../operate/install/install-settings.ts';

export const spec = installCommand;
export const run = install;
