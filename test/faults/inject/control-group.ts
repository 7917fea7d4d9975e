import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanUpAfterDeath } from '../../helpers/survivor.ts';
import type { BedNode } from '../../helpers/vrrp/bed-node.ts';
import type { Injector, Undo } from './injector.ts';

const ROOT = '/sys/fs/cgroup';
const PERIOD_US = 100_000;

/** Limits the node's processes together to this share of one CPU, until the end. Real-time processes are not limited. */
export const starve: Injector = async ({ node, variant }) => {
  const quotaUs = (Number.parseInt(variant, 10) / 100) * PERIOD_US;
  return existsSync(join(ROOT, 'cpu/cgroup.procs'))
    ? enter(node, 'cpu', 'cpu.cfs_quota_us', `${quotaUs}`)
    : enter(node, '', 'cpu.max', `${quotaUs} ${PERIOD_US}`);
};

/** No process on the node can fork or start a thread, until the end. */
export const exhaustProcesses: Injector = async ({ node }) =>
  existsSync(join(ROOT, 'pids/cgroup.procs'))
    ? enter(node, 'pids', 'pids.max', '1')
    : enter(node, '', 'pids.max', '1');

/** Throws if this machine does not allow creating control groups. */
function enter(node: BedNode, controller: string, limit: string, value: string): Undo {
  const parent = join(ROOT, controller);
  const group = join(parent, `hawser-faults-${process.pid}-${node.name}`);
  mkdirSync(group);
  try {
    writeFileSync(join(group, limit), value);
  } catch (error) {
    rmdirSync(group);
    throw error;
  }
  const survivor = cleanUpAfterDeath(removal, group);
  move(node, group);
  return async () => {
    // Repeated, because a process may fork between listing and moving.
    for (let round = 0; round < 20 && existsSync(group); round += 1) {
      move(node, parent);
      removeIfEmpty(group);
    }
    survivor.dismiss();
  };
}

/** Shell script that retries until the group's processes have been killed. */
const removal = 'for round in 1 2 3 4 5 6 7 8 9; do rmdir "$1" && break; sleep 1; done';

/** Moves all processes except those the kernel refuses to move, such as real-time ones, and those that are just exiting. */
function move(node: BedNode, group: string): void {
  for (const { id } of node.processes())
    try {
      writeFileSync(join(group, 'cgroup.procs'), `${id.pid}`);
    } catch {}
}

function removeIfEmpty(group: string): void {
  try {
    rmdirSync(group);
  } catch {}
}
