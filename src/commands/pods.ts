import { haproxyPod } from '../api-lb/pod.ts';
import { settingsFileReader } from '../cli/parse-settings-file.ts';
import type { Pod } from '../cli/pod.ts';
import { settingsKeys } from '../cli/settings-form.ts';
import { routerCommand } from '../router/settings/router-command.ts';
import { keepalivedPod } from '../vip/pod.ts';

/** Every product's pods, in display order, apart from `products.ts`: a monitor starts without doctor's checks. */
export const pods: readonly Pod[] = [haproxyPod, keepalivedPod];

/** All keys that a settings file may have: the flags of the daemons, and of the router, which is not a static pod. */
export const daemonKeys = settingsKeys([...pods.flatMap(({ daemons }) => daemons), routerCommand]);

/** The pods that `hawser install` can install, next to a settings file with any of these keys. */
export const installable = { pods, keys: daemonKeys };

export const readSettingsFile = settingsFileReader(daemonKeys);
