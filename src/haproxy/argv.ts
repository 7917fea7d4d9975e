/** HAProxy's files. Users of the original pods rely on all of them except `masterSocket`. */
export interface HaproxyPaths {
  readonly haproxy: string;
  readonly config: string;
  readonly statsSocket: string;
  readonly pidFile: string;
  readonly stateFile: string;
}

type Argv = readonly [string, ...string[]];

export function checkArgv(haproxy: string, config: string): Argv {
  return [haproxy, '-c', '-f', config];
}

/**
 * Starts a master and its worker in the foreground. `-x` fetches the listeners' descriptors from the serving generation. `-sf` is omitted on purpose:
 * it would stop the old generation before the new one is proven, and pause the old listeners while a port clash is retried
 * (docs/internals/decisions/0002).
 */
export function masterArgv(
  paths: HaproxyPaths,
  config: string,
  start: { readonly masterSocket: string; readonly takeOver: boolean },
): Argv {
  const takeOver = start.takeOver ? ['-x', paths.statsSocket] : [];
  const own = ['-S', `${start.masterSocket},mode,600`];
  return [paths.haproxy, '-W', '-db', '-f', config, '-p', paths.pidFile, ...own, ...takeOver];
}
