import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readProcess } from '../../../src/engine/system/process/processes.ts';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { removeNetNamespace } from '../../helpers/net-namespace.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { endCgroups } from './cgroups.ts';
import { orphanedFolders } from './run-folder.ts';

/**
 * Removes what killed test runs left behind: everything named by a folder below `parent` whose process is gone. Other
 * processes may do the same at the same time.
 */
export async function removeOrphans(parent: string): Promise<void> {
  for (const { path, owner } of orphanedFolders(parent)) {
    // If the pid was reused, the namespaces named after it may belong to the new process.
    const namesake = readProcess(owner.pid);
    if (namesake === undefined || namesake.id.startTicks === owner.startTicks)
      for (const name of namespacesOf(owner.pid)) await removeNetNamespace(name);
    await endCgroups({
      containers: enginesIn(path).flatMap(containersIn),
      pods: enginesIn(path).flatMap(podsIn),
    });
    await unmountBelow(path);
    rmSync(path, { recursive: true, force: true });
  }
}

const PODS = 'pods';

function namespacesOf(pid: number): readonly string[] {
  return namesIn('/run/netns').filter((name) => name.startsWith(`hawser-${pid}-`));
}

/** The builder's engine is the folder itself; a node's is in the folder with the node's name. */
function enginesIn(path: string): readonly string[] {
  return [path, ...namesIn(path).map((name) => join(path, name, 'engine'))];
}

/** Ids of all pods that an engine in `dir` has ever started, as noted by `notePod`. */
export function podsIn(dir: string): readonly string[] {
  return namesIn(join(dir, PODS));
}

export function notePod(dir: string, id: string): void {
  mkdirSync(join(dir, PODS, id), { recursive: true });
}

/** Ids of the containers of an engine in `dir`. */
export function containersIn(dir: string): readonly string[] {
  return namesIn(join(dir, 'storage/overlay-containers')).filter((name) => /^[0-9a-f]{64}$/.test(name));
}

async function unmountBelow(path: string): Promise<void> {
  const mounted = () =>
    readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .map((line) => line.split(' ')[4] ?? '')
      .filter((point) => point.startsWith(`${path}/`));
  // Deepest first.
  for (const point of mounted().toReversed())
    await runCommand(['umount', '--lazy', point], { timeoutMs: 10_000 });
  await waitFor(`nothing to be mounted below ${path}`, () => mounted().length === 0);
}

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}
