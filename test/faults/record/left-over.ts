import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, readProcess } from '../../../src/engine/system/process/processes.ts';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { readProcesses } from '../../helpers/process-tree.ts';
import { sendSignal } from '../../helpers/vrrp/bed-process.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { keptParts } from '../world/keeper.ts';
import type { World } from '../world/world.ts';
import { leftFiles, temporaryFiles } from './left-files.ts';

/** Twice the time a container engine waits before it sends SIGKILL. */
const END_MS = 20_000;

/** Terminates every program, as if all pods were deleted, and reports what is left behind. */
export async function leftAfterEnd(world: World): Promise<readonly string[]> {
  const temporary = new Map(world.nodes.map(({ dir }) => [dir, temporaryFiles(dir)]));
  const ids = world.nodes.flatMap((node) => {
    world.keeper.leave(node);
    return keptParts.flatMap((part) => world.keeper.part(node, part)?.id ?? []);
  });
  sendSignal(ids, 'SIGTERM');
  await waitFor('everything to end', () => !ids.some(isAlive), END_MS).catch(() => undefined);
  const left: string[] = [];
  for (const node of world.nodes) {
    for (const { argv } of node.processes()) left.push(`process on ${node.name}: ${argv.join(' ')}`);
    const addresses = await node.namespace.run('ip', '-o', 'address');
    if (addresses.includes(` ${world.bed.vip}/`)) left.push(`the VIP on ${node.name}`);
    const tables = (await node.namespace.run('nft', 'list', 'tables')).split('\n');
    left.push(...tables.filter((table) => table !== '').map((table) => `${table} on ${node.name}`));
    left.push(...leftFiles(node.dir, temporary.get(node.dir) ?? []).map((what) => `${what} on ${node.name}`));
  }
  return left;
}

/** State of the machine itself that a run could change. */
export interface MachineState {
  readonly addresses: string;
  readonly tables: string;
}

export async function machineState(): Promise<MachineState> {
  const run = async (...argv: [string, ...string[]]) =>
    (await runCommand(argv, { timeoutMs: 10_000 })).stdout;
  return { addresses: await run('ip', '-o', 'address'), tables: await run('nft', 'list', 'tables') };
}

/** What the harness itself left behind. `bedDir` is the folder of its world. */
export async function leftOnMachine(before: MachineState, bedDir: string): Promise<readonly string[]> {
  const after = await machineState();
  // Cleanup helpers of this process exit on their own once dismissed.
  await waitFor('own children to end', () => ownChildren().length === 0, END_MS).catch(() => undefined);
  const namespaces = readdirSync('/run/netns').filter((name) => name.startsWith(`hawser-${process.pid}-`));
  return [
    ...namespaces.map((name) => `network namespace ${name}`),
    ...controlGroups().map((path) => `control group ${path}`),
    ...readProcesses(ownChildren()).map(({ argv }) => `a process of the harness: ${argv.join(' ')}`),
    ...(existsSync(bedDir) ? [`folder ${bedDir}`] : []),
    ...(after.addresses === before.addresses ? [] : ['an address of the machine']),
    ...(after.tables === before.tables ? [] : ['a table of the machine’s nftables']),
  ];
}

function controlGroups(): readonly string[] {
  const root = '/sys/fs/cgroup';
  return ['cpu', 'pids', '.'].flatMap((controller) => {
    const path = join(root, controller);
    const names = existsSync(path) ? readdirSync(path) : [];
    return names
      .filter((name) => name.startsWith(`hawser-faults-${process.pid}-`))
      .map((name) => join(path, name));
  });
}

function ownChildren(): readonly number[] {
  return readdirSync('/proc').flatMap((entry) => {
    const found = /^\d+$/.test(entry) ? readProcess(Number(entry)) : undefined;
    return found?.parentPid === process.pid && found.state !== 'Z' ? [found.id.pid] : [];
  });
}
