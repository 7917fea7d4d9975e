/** HAProxy's files. All but `masterSocket` are part of the contract with users of the original pods. */
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
 * A master and its worker in the foreground. `-x` fetches the listeners' descriptors from the serving
 * generation. `-sf` is omitted on purpose: it stops the old generation before the new one has proven anything, and
 * pauses the old listeners while a port clash is retried (docs/internals/decisions/0002).
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
