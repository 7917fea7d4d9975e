import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isAlive, type ProcessId, readProcess } from '../../src/engine/system/process/processes.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { endCgroups } from './helpers/cgroups.ts';
import { removeOrphans } from './helpers/remove-orphans.ts';
import { markOwner, RUN_FOLDERS } from './helpers/run-folder.ts';

/** What a run leaves if it is killed together with its cleaner; `sleep` stands for all of its programs. */
let parent: string;
let owner: ChildProcess;
let stack: AsyncDisposableStack;
const container = 'e2e0'.repeat(16);
const pod = 'e2e1'.repeat(16);
/** With cgroups v1 and v2 both mounted, a pod has folders where its containers have none. */
const hierarchies = ['pids', 'unified'].filter((name) => existsSync(`/sys/fs/cgroup/${name}`));
const cgroups = (hierarchies.length === 0 ? ['.'] : hierarchies).map(
  (name) => `/sys/fs/cgroup/${name}/libpod_parent/${pod}`,
);
const [cgroup = ''] = cgroups.map((dir) => `${dir}/libpod-${container}`);

beforeEach(() => {
  stack = new AsyncDisposableStack();
  parent = mkdtempSync(join(RUN_FOLDERS, 'hawser-leftovers-'));
  stack.defer(() => void execFileSync('rm', ['-rf', parent]));
  owner = start('sleep', '600');
});
afterEach(() => stack.disposeAsync());

function start(...[file = '', ...args]: readonly string[]): ChildProcess {
  const child = spawn(file, args, { stdio: 'ignore' });
  stack.defer(() => void child.kill('SIGKILL'));
  return child;
}

function idOf({ pid = 0 }: ChildProcess): ProcessId {
  const found = readProcess(pid);
  if (found === undefined) throw new Error(`Cannot find process ${pid}`);
  return found.id;
}

/** Returns the processes in it. */
async function leave(folder: string): Promise<readonly ProcessId[]> {
  const namespace = `hawser-${owner.pid}-1`;
  execFileSync('ip', ['netns', 'add', namespace]);
  stack.defer(() => void spawnSync('ip', ['netns', 'del', namespace], { stdio: 'ignore' }));
  mkdirSync(join(folder, 'cp-1/engine/storage/overlay-containers', container), { recursive: true });
  mkdirSync(join(folder, 'cp-1/mounted'));
  execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', join(folder, 'cp-1/mounted')]);
  stack.defer(() => void spawnSync('umount', [join(folder, 'cp-1/mounted')], { stdio: 'ignore' }));
  for (const dir of [cgroup, ...cgroups.map((each) => `${each}/conmon`)]) mkdirSync(dir, { recursive: true });
  stack.defer(() => endCgroups({ containers: [container], pods: [] }));
  const resident = start('nsenter', `--net=/run/netns/${namespace}`, 'sleep', '600');
  const network = () => readlinkSync(`/proc/${resident.pid}/ns/net`);
  await waitFor('a process in the namespace', () => network() !== readlinkSync('/proc/self/ns/net'));
  const contained = start('sleep', '600');
  writeFileSync(join(cgroup, 'cgroup.procs'), String(contained.pid));
  return [resident, contained].map(idOf);
}

const isThere = (folder: string) => ({
  folder: existsSync(folder),
  namespace: readdirSync('/run/netns').includes(`hawser-${owner.pid}-1`),
  cgroup: cgroups.some((dir) => existsSync(dir)),
});

test("a dead run's leftovers are removed: processes, namespaces, cgroups, mounts, folder", async () => {
  const folder = join(parent, 'hawser-e2e-nodes-1');
  const processes = await leave(folder);
  markOwner(folder, idOf(owner));
  owner.kill('SIGKILL');
  await once(owner, 'exit');
  await removeOrphans(parent);
  expect(isThere(folder)).toEqual({ folder: false, namespace: false, cgroup: false });
  expect(processes.filter(isAlive)).toEqual([]);
});

test('leftovers of a live process, or without our mark, are kept', async () => {
  const folder = join(parent, 'hawser-e2e-nodes-1');
  const processes = await leave(folder);
  await removeOrphans(parent);
  markOwner(folder, idOf(owner));
  await removeOrphans(parent);
  expect(isThere(folder)).toEqual({ folder: true, namespace: true, cgroup: true });
  expect(processes.filter(isAlive)).toEqual(processes);
});

test('the folder of a dead process whose pid was reused is removed, and what is named after the pid stays', async () => {
  const folder = join(parent, 'hawser-e2e-nodes-1');
  const [resident] = await leave(folder);
  const { pid, startTicks } = idOf(owner);
  markOwner(folder, { pid, startTicks: startTicks - 1 });
  await removeOrphans(parent);
  expect(isThere(folder)).toEqual({ folder: false, namespace: true, cgroup: false });
  expect(resident && isAlive(resident)).toBe(true);
});
