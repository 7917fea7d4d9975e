import { type Dirent, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { codeOf } from '../../../src/model/errors.ts';
import { readProcess } from '../../../src/system/processes.ts';
import { sendSignal } from '../../helpers/vrrp/bed-process.ts';
import { waitFor } from '../../helpers/wait-for.ts';

const ROOT = '/sys/fs/cgroup';

/**
 * Kills what still runs in the cgroups of these containers and removes them, and those of their pods where nothing else
 * is left in them. podman leaves them where everything on a machine is killed at once.
 */
export async function endCgroups(containers: readonly string[]): Promise<void> {
  const names = new Set(containers.flatMap((id) => [`libpod-${id}`, `libpod-conmon-${id}`, `conmon-${id}`]));
  await waitFor('cgroups of containers to be empty', () => {
    const found = parents().flatMap((parent) =>
      foldersBelow(parent).filter((dir) =>
        dir
          .slice(parent.length)
          .split('/')
          .some((name) => names.has(name)),
      ),
    );
    sendSignal(found.flatMap(processesIn), 'SIGKILL');
    // What was just killed leaves its cgroup a moment later.
    const left = found.filter((dir) => !removeEmpty(dir));
    const pods = new Set(found.map(dirname).filter((dir) => !parents().includes(dir)));
    for (const pod of pods) removeEmpty(pod);
    return left.length === 0;
  });
}

/** podman's folder in each hierarchy, and in the only one of cgroups 2. */
function parents(): readonly string[] {
  return [ROOT, ...entriesOf(ROOT).map(({ name }) => join(ROOT, name))].map((dir) =>
    join(dir, 'libpod_parent'),
  );
}

/** The deepest first. */
function foldersBelow(dir: string): readonly string[] {
  return entriesOf(dir)
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => [...foldersBelow(join(dir, name)), join(dir, name)]);
}

function processesIn(dir: string) {
  const pids = readText(join(dir, 'cgroup.procs')).split('\n').map(Number);
  return pids.flatMap((pid) => (pid > 0 ? (readProcess(pid)?.id ?? []) : []));
}

/** False while something is in it. */
function removeEmpty(dir: string): boolean {
  try {
    rmdirSync(dir);
    return true;
  } catch (error) {
    return codeOf(error) === 'ENOENT';
  }
}

function entriesOf(dir: string): readonly Dirent[] {
  try {
    return readdirSync(dir, { withFileTypes: true });
  } catch {
    return [];
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
