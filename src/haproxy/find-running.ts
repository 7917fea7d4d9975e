import { dirname, join } from 'node:path';
import { holdersOf, listeningUnixSockets } from '../engine/system/network/listening-ports.ts';
import { childrenOf, readProcess } from '../engine/system/process/processes.ts';
import type { RunningGeneration } from './program.ts';

/**
 * The inodes of the listening sockets that were bound to this path. A generation that took over the listeners of the previous one has the same
 * socket; one that could not has bound another. HAProxy binds `PATH.PID.tmp` and renames it.
 */
function statsListeners(statsSocket: string): ReadonlySet<string> {
  return new Set(boundSockets().flatMap(({ path, inode }) => (path === statsSocket ? inode : [])));
}

/** Whether at most one generation listens. Other containers of the node's network may use the same path; their processes are not visible. */
export function listensAlone(statsSocket: string): boolean {
  const sockets = statsListeners(statsSocket);
  if (sockets.size <= 1) return true;
  return new Set([...holdersOf(sockets).values()].flatMap((held) => [...held])).size <= 1;
}

function boundSockets(): readonly { readonly path: string; readonly inode: string }[] {
  return listeningUnixSockets().map(({ path, inode }) => ({ inode, path: path.replace(/\.\d+\.tmp$/, '') }));
}

/**
 * Every HAProxy with one of hawser's stats or master sockets, whichever program started it. A process can only have such a socket if it was started
 * with hawser's paths, so this works even if the files were removed. A worker without a master counts as a separate generation.
 */
export function findRunning(statsSocket: string): readonly RunningGeneration[] {
  const masterSocket = join(dirname(statsSocket), 'hawser-generation-');
  const bound = boundSockets();
  const stats = statsListeners(statsSocket);
  const numbers = new Map(
    bound.flatMap(({ path, inode }) => {
      const number =
        path.startsWith(masterSocket) && /^(\d+)\.sock$/.exec(path.slice(masterSocket.length))?.[1];
      return typeof number === 'string' ? [[inode, Number(number)] as const] : [];
    }),
  );
  const holders = holdersOf(new Set([...stats, ...numbers.keys()]));
  const masters = [...holders].flatMap(([pid, inodes]) => {
    const number = [...inodes].map((inode) => numbers.get(inode)).find((it) => it !== undefined);
    const master = readProcess(pid)?.id;
    return number === undefined || master === undefined
      ? []
      : [{ number, master, workers: childrenOf(master) }];
  });
  const serves = (pid: number): boolean => [...(holders.get(pid) ?? [])].some((inode) => stats.has(inode));
  const supervised = new Set(
    masters.flatMap(({ master, workers }) => [master, ...workers].map(({ pid }) => pid)),
  );
  const orphans = [...holders.keys()].flatMap((pid) => {
    const master = supervised.has(pid) ? undefined : readProcess(pid)?.id;
    return master === undefined ? [] : [{ number: undefined, master, workers: [], listens: serves(pid) }];
  });
  const listening = masters.map((each) => ({
    ...each,
    listens: [each.master, ...each.workers].some(({ pid }) => serves(pid)),
  }));
  return [...listening, ...orphans];
}
