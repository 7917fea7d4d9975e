import { deployedSettings } from '../../haproxy/doctor/deployed.ts';
import { proxyCommand } from '../proxy-settings.ts';

export const settingsIn = deployedSettings(proxyCommand);
