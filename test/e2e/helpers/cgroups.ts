import { type Dirent, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../../../src/engine/system/errors.ts';
import { readProcess } from '../../../src/engine/system/process/processes.ts';
import { sendSignal } from '../../helpers/vrrp/bed-process.ts';
import { waitFor } from '../../helpers/wait-for.ts';

/** By id. */
export interface Owned {
  readonly containers: readonly string[];
  readonly pods: readonly string[];
}

const ROOT = '/sys/fs/cgroup';

/**
 * Kills everything that still runs in the cgroups of these pods and containers, and of the pods around these
 * containers, and removes the cgroups. podman leaves them behind when everything on a machine is killed at once. With
 * cgroups v1 and v2 both mounted, it leaves some even when it removes a pod.
 */
export async function endCgroups({ containers, pods }: Owned): Promise<void> {
  const names = new Set([...pods, ...containers.flatMap(namesOf)]);
  const around = parents().flatMap((parent) => podsAround(parent, names));
  const owned = new Set([...names, ...around]);
  await waitFor('cgroups of containers to be empty', () => {
    const folders = parents().flatMap((parent) => treesIn(parent, owned));
    sendSignal(folders.flatMap(processesIn), 'SIGKILL');
    // A killed process leaves its cgroup a moment later.
    return folders.filter((dir) => !removeEmpty(dir)).length === 0;
  });
}

function namesOf(container: string): readonly string[] {
  return [`libpod-${container}`, `libpod-conmon-${container}`, `conmon-${container}`];
}

/** podman's folder in each v1 hierarchy, and in the single v2 one. */
function parents(): readonly string[] {
  return [ROOT, ...foldersIn(ROOT)].map((dir) => join(dir, 'libpod_parent'));
}

/** A container's folder is in its pod's, but not in every hierarchy where the pod has one. */
function podsAround(parent: string, containers: ReadonlySet<string>): readonly string[] {
  return foldersBelow(parent)
    .filter((dir) => containers.has(basename(dir)) && dirname(dir) !== parent)
    .map((dir) => basename(dirname(dir)));
}

/** The folders with these names and everything in them, deepest first. */
function treesIn(parent: string, names: ReadonlySet<string>): readonly string[] {
  const tops = foldersIn(parent).filter((dir) => names.has(basename(dir)));
  return tops.flatMap((dir) => [...foldersBelow(dir), dir]);
}

function foldersBelow(dir: string): readonly string[] {
  return foldersIn(dir).flatMap((each) => [...foldersBelow(each), each]);
}

function foldersIn(dir: string): readonly string[] {
  return entriesOf(dir).flatMap((entry) => (entry.isDirectory() ? [join(dir, entry.name)] : []));
}

function entriesOf(dir: string): readonly Dirent[] {
  try {
    return readdirSync(dir, { withFileTypes: true });
  } catch {
    return [];
  }
}

function processesIn(dir: string) {
  const pids = readText(join(dir, 'cgroup.procs')).split('\n').map(Number);
  return pids.flatMap((pid) => (pid > 0 ? (readProcess(pid)?.id ?? []) : []));
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** False while it is not empty. */
function removeEmpty(dir: string): boolean {
  try {
    rmdirSync(dir);
    return true;
  } catch (error) {
    return codeOf(error) === 'ENOENT';
  }
}
