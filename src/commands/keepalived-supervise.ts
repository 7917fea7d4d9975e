import { readSettingsInChild } from '../cli/read-settings-in-child.ts';
import { keepalivedSuperviseCommand } from '../keepalived/supervise/keepalived-supervise-settings.ts';
import { superviseKeepalived } from '../keepalived/supervise/supervise-keepalived.ts';

export const spec = keepalivedSuperviseCommand;
export const run = superviseKeepalived;
export const readSettings = readSettingsInChild;
