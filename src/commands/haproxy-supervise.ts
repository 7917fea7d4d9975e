import { watchSuspects } from '../api-lb/suspects/watch-suspects.ts';
import { readSettingsInChild } from '../cli/read-settings-in-child.ts';
import {
  type HaproxySuperviseSettings,
  haproxySuperviseCommand,
} from '../haproxy/supervise/haproxy-supervise-settings.ts';
import { superviseHaproxy } from '../haproxy/supervise/supervise-haproxy.ts';

export const spec = haproxySuperviseCommand;
export const run = (settings: HaproxySuperviseSettings): Promise<number> =>
  superviseHaproxy(settings, watchSuspects);
export const readSettings = readSettingsInChild;
