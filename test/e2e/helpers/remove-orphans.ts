import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readProcess } from '../../../src/engine/system/process/processes.ts';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { removeNetNamespace } from '../../helpers/net-namespace.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { endCgroups } from './cgroups.ts';
import { orphanedFolders } from './run-folder.ts';

/**
 * Takes away what runs of the tests have left that were ended before they could: everything that a folder below
 * `parent` names whose process is gone. Other processes may do the same at the same time.
 */
export async function removeOrphans(parent: string): Promise<void> {
  for (const { path, owner } of orphanedFolders(parent)) {
    // A pid that is another process's now says nothing about who made what is called after it.
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

/** The builder's is the folder itself, a node's is in the folder of that name. */
function enginesIn(path: string): readonly string[] {
  return [path, ...namesIn(path).map((name) => join(path, name, 'engine'))];
}

/** Ids of the pods that were ever started by an engine in `dir`, as `notePod` noted them. */
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
