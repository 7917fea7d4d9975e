import { readSettingsInChild } from '../cli/read-settings-in-child.ts';
import { haproxySuperviseCommand } from '../haproxy/supervise/haproxy-supervise-settings.ts';
import { superviseHaproxy } from '../haproxy/supervise/supervise-haproxy.ts';

export const spec = haproxySuperviseCommand;
export const run = superviseHaproxy;
export const readSettings = readSettingsInChild;
