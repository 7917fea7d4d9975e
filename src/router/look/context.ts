import { deployedSettings } from '../../haproxy/doctor/deployed.ts';
import { routerCommand } from '../settings/router-command.ts';

export const settingsIn = deployedSettings(routerCommand);
