import { haproxyPod } from '../api-lb/pod.ts';
import { settingsFileReader } from '../cli/parse-settings-file.ts';
import type { Pod } from '../cli/pod.ts';
import { settingsKeys } from '../cli/settings-form.ts';
import { routerCommand } from '../router/settings/router-command.ts';
import { keepalivedPod } from '../vip/pod.ts';

/** The pods of all products, in display order. Separate from `products.ts`, so that a monitor starts without doctor's checks. */
export const pods: readonly Pod[] = [haproxyPod, keepalivedPod];

/** All keys of a settings file: the flags of the daemons, and of the router, which is not a static pod. */
export const daemonKeys = settingsKeys([...pods.flatMap(({ daemons }) => daemons), routerCommand]);

/** The pods that `hawser install` can install, and the keys of the settings file next to them. */
export const installable = { pods, keys: daemonKeys };

export const readSettingsFile = settingsFileReader(daemonKeys);
