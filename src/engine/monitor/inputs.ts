import { untilReplaced } from '../system/file/replaced-mount.ts';
import { watchFiles } from '../system/file/watch-files.ts';
import type { Wake } from '../system/time/wake.ts';
import type { Observers } from './observers.ts';

const OWN_RESOLV_CONF = '/etc/resolv.conf';

export interface InputPaths {
  /** Undefined if the template is not a file. */
  readonly template?: string | undefined;
  /** Undefined if the pod's service account is used, whose files are read for every request. */
  readonly kubeconfig?: string | undefined;
  /** Path of the settings file, if there is one. */
  readonly settings?: string | undefined;
  /** Files that may be missing. The loop reads them in each iteration. */
  readonly otherFiles?: readonly string[];
  readonly checkInterval: number;
}

/**
 * Watches the files that a monitor depends on. A changed template wakes the loop. A changed kubeconfig is read at the source's next request. A
 * changed settings file is only logged: applying a part of it would be an untested combination.
 */
export function watchInputs(
  settings: InputPaths,
  wake: Wake,
  observers: Observers,
  signal: AbortSignal,
): void {
  const { template, kubeconfig, settings: settingsPath, otherFiles = [] } = settings;
  const onChange = (path: string): void => {
    if (path === settingsPath) {
      observers.log({ event: 'settings-changed', level: 'warn', path, effect: 'at the next start' });
      return;
    }
    observers.log({ event: 'input-changed', path });
    wake.poke();
  };
  const inputs = [template, kubeconfig, ...otherFiles, settingsPath];
  const paths = inputs.filter((path) => path !== undefined);
  watchFiles(paths, onChange, { recheckMs: settings.checkInterval, signal });
}

/** Returns a function that resolves with the first of these files that was replaced. A pod may mount each of them without its folder. */
export function fileMounts({ kubeconfig }: Pick<InputPaths, 'kubeconfig'>) {
  const paths = [OWN_RESOLV_CONF, kubeconfig].filter((path) => path !== undefined);
  return (signal: AbortSignal) => untilReplaced(paths, signal);
}
