import { setTimeout as pause } from 'node:timers/promises';
import type { OutputFormat } from '../../cli/command-spec.ts';
import type { Pod } from '../../cli/pod.ts';
import { structuredWriter } from '../../cli/run-command.ts';
import { ConfigError, messageOf } from '../../engine/system/errors.ts';
import { isSingleAddress } from '../../engine/system/network/address-text.ts';
import { findAddress, removeAddress } from '../../engine/system/network/interface-addresses.ts';
import {
  holdersOf,
  listeningPorts,
  listeningUnixSockets,
  ownerOf,
} from '../../engine/system/network/listening-ports.ts';
import { hawserProcesses, type RunningProcess } from '../../engine/system/process/hawser-processes.ts';
import { isAlive } from '../../engine/system/process/processes.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import { type Disk, readDisk, textOn } from './disk.ts';
import { type EffectiveSettings, effectiveSettings, type Installable } from './effective-settings.ts';
import type { UninstallSettings } from './install-settings.ts';
import { layout } from './layout.ts';
import { type InstallRecord, recordProblem } from './record.ts';
import { applyRemoval, type Removal, type RemovalPlan, removals, removeIfEmpty } from './removal.ts';

/** Generous, because nothing waits for the result and the node may be busy. */
const FIND_VIP_TIMEOUT_MS = 10_000;

/** Removes the products' nftables tables. `changed`: there was a redirect. `left`: the tables that could not be removed, with the reason. */
export type RemoveTables = () => Promise<{ readonly changed: boolean; readonly left: readonly string[] }>;

/** Removes hawser from this node. Resolves with exit code 0 if nothing is left, else 1 after listing what is left. */
export async function uninstall(
  options: UninstallSettings,
  installable: Installable,
  removeTables: RemoveTables,
): Promise<number> {
  const progress = await createProgress(options.json);
  const path = layout.record;
  const disk = await readDisk(options.root, installable.pods);
  const { record } = disk;
  if (disk.at(path) === undefined)
    return progress.end('nothing-to-do', `nothing to do: ${path} does not exist\n`);
  if (record === undefined) throw new ConfigError([recordProblem(path, textOn(disk, path) ?? '')]);
  const plan = removals(disk, record, options, installable.pods);
  if (!options.dryRun) return await remove(options, installable, disk, record, plan, progress, removeTables);
  for (const removal of [...plan.manifests, ...plan.rest, ...plan.last]) progress.step(removal);
  return progress.end('dry-run', '');
}

/** Removes the manifests first, because a running pod would recreate removed files. */
async function remove(
  { root, timeout: given }: UninstallSettings,
  installable: Installable,
  disk: Disk,
  record: InstallRecord,
  plan: RemovalPlan,
  progress: Progress,
  removeTables: RemoveTables,
): Promise<number> {
  const leave = (left: readonly string[]) => progress.end('left', '', left);
  const { pods } = installable;
  const settings = settingsOn(disk, installable);
  const vips = [...new Set([...record.vips, ...(settings?.vips.all ?? [])])];
  const timeout = given ?? longestEndMs(settings?.pods ?? []);
  const failed = await removeAll(root, plan.manifests, progress);
  if (failed.length > 0) return leave(failed);
  const running = await waitForEnd(record.ports, pods, timeout);
  if (running.length > 0)
    return leave([
      ...running.map(
        (each) => `${each}: still running after ${timeout} ms; check that the kubelet is running`,
      ),
      'nothing else was removed: run hawser uninstall again',
    ]);
  const swept = await sweep(vips, progress);
  const tables = await removeTables();
  if (tables.changed) progress.step({ kind: 'remove-firewall-table' });
  const left = [...swept, ...tables.left, ...(await removeAll(root, plan.rest, progress))];
  if (left.length > 0) return leave(left);
  for (const each of plan.last) {
    const kept = await removeAll(root, [each], progress);
    if (kept.length > 0) return leave(kept);
  }
  const late = await removeFolders(root, plan.directories, progress);
  return late.length === 0 ? progress.end('done', 'done: hawser is completely removed\n') : leave(late);
}

/** The settings on this node; undefined if they are invalid. */
function settingsOn(disk: Disk, installable: Installable): EffectiveSettings | undefined {
  try {
    return effectiveSettings(textOn(disk, layout.settings) ?? '', installable);
  } catch {
    return undefined;
  }
}

const LEAST_WAIT_MS = 90_000;
/** For the kubelet, which has to notice that the manifest is gone, and to remove the containers. */
const KUBELET_MS = 20_000;

/** How long the kubelet may need to end these pods. */
export function longestEndMs(pods: EffectiveSettings['pods']): number {
  return Math.max(LEAST_WAIT_MS, ...pods.map(({ graceSeconds = 0 }) => graceSeconds * 1_000 + KUBELET_MS));
}

/** Removes the VIPs from all interfaces. A VIP is recognised by its prefix length (/32, /128); the node's own addresses have that of their subnet. */
async function sweep(vips: readonly string[], progress: Progress): Promise<readonly string[]> {
  const left: string[] = [];
  for (const vip of vips) {
    const places = await findAddress(vip, FIND_VIP_TIMEOUT_MS);
    if (places === undefined)
      left.push(`VIP ${vip}: cannot check for it, expected "ip address show" to work (iproute2)`);
    for (const found of places ?? []) {
      if (!isSingleAddress(found.cidr)) continue;
      const trouble = await removeAddress(found);
      if (trouble === undefined)
        progress.step({ kind: 'remove-vip', vip: found.cidr, interface: found.interface });
      else left.push(trouble);
    }
  }
  return left;
}

async function removeAll(
  root: string,
  removals: readonly Removal[],
  progress: Progress,
): Promise<readonly string[]> {
  return await forEach(removals, async (removal) => {
    await applyRemoval(root, removal);
    progress.step(removal);
  });
}

async function removeFolders(
  root: string,
  folders: readonly string[],
  progress: Progress,
): Promise<readonly string[]> {
  const each = folders.map((path) => ({ path }));
  return await forEach(each, async ({ path }) => {
    const holds = await removeIfEmpty(root, path);
    if (holds.length > 0) progress.step({ kind: 'leave-folder', path, holds });
  });
}

/** Processes the items one after the other, and continues after a failure. Resolves with the failures and their reasons. */
async function forEach<T extends { readonly path: string }>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<readonly string[]> {
  const left: string[] = [];
  for (const item of items) await work(item).catch((error) => left.push(`${item.path}: ${messageOf(error)}`));
  return left;
}

/** A step of the removal, done or planned. */
type RemovalStep =
  | Removal
  /** A folder of hawser that contains files which hawser did not write. */
  | { readonly kind: 'leave-folder'; readonly path: string; readonly holds: readonly string[] }
  | { readonly kind: 'remove-vip'; readonly vip: string; readonly interface: string }
  | { readonly kind: 'remove-firewall-table' };

type Progress = Awaited<ReturnType<typeof createProgress>>;
type Outcome = 'nothing-to-do' | 'dry-run' | 'done' | 'left';

async function createProgress(json: OutputFormat | undefined) {
  const steps: RemovalStep[] = [];
  const write = await structuredWriter(json);
  return {
    /** Prints the step as text at once, or collects it for the structured document. */
    step: (step: RemovalStep): void => {
      if (json === undefined) process.stdout.write(`${stepText(step)}\n`);
      else steps.push(step);
    },
    /** Prints the outcome, and on stderr what is left. Returns the exit code. */
    end: (outcome: Outcome, text: string, left: readonly string[] = []): number => {
      for (const each of left) process.stderr.write(`left: ${each}\n`);
      process.stdout.write(json === undefined ? text : `${write({ outcome, steps, left })}\n`);
      return outcome === 'left' ? 1 : 0;
    },
  };
}

function stepText(step: RemovalStep): string {
  switch (step.kind) {
    case 'remove-vip':
      return `- VIP ${step.vip} on ${step.interface}`;
    case 'remove-firewall-table':
      return '- the firewall table';
    case 'remove':
      return `- ${step.path}`;
    case 'save':
      return `~ ${step.path} was edited, kept as ${step.to}`;
    case 'move-back':
      return `+ ${step.path}, as it was before hawser`;
    case 'leave':
      return `  ${step.path} is not hawser's: it stays`;
    case 'leave-folder':
      return `  ${step.path} stays: it holds ${step.holds.join(', ')}`;
  }
}

const POLL_EVERY_MS = 200;

/**
 * Waits until hawser's daemons and their processes have ended. Identifies visible processes by pid and start time, even after they lose their
 * parent. For processes of other containers that are not visible, it waits until nothing listens on `ports` and the supervisors' control sockets,
 * which close last. Resolves with what still runs after `timeoutMs`.
 */
async function waitForEnd(
  ports: readonly number[],
  pods: readonly Pod[],
  timeoutMs: number,
): Promise<readonly string[]> {
  const end = monotonicMs() + timeoutMs;
  const daemons = pods.flatMap((pod) => pod.daemons.map(({ name }) => name));
  let running: readonly RunningProcess[] = [];
  for (;;) {
    const alive = [...running, ...hawserProcesses(daemons)].filter(({ id }) => isAlive(id));
    running = alive.filter(({ id }, index) => alive.findIndex((other) => other.id.pid === id.pid) === index);
    const left = [
      ...running.map(({ id, what }) => `${what}, pid ${id.pid}`),
      ...listeningPorts()
        .filter((listener) => ports.includes(listener.port) && ownerOf(listener) === undefined)
        .map(({ port }) => `a process on port ${port}, not visible from here`),
      ...pods.filter(isServedElsewhere).map(({ name }) => `the supervisor of ${name}, not visible from here`),
    ];
    if (left.length === 0 || monotonicMs() >= end) return [...new Set(left)];
    await pause(POLL_EVERY_MS);
  }
}

/** Whether a process that is not visible listens on the control socket. The kernel lists a claimed socket with its temporary name. */
function isServedElsewhere({ supervisor: { socket } }: Pod): boolean {
  const listening = listeningUnixSockets().filter(({ path }) => `${path}.`.startsWith(`${socket}.`));
  const inodes = new Set(listening.map(({ inode }) => inode));
  const seen = new Set([...holdersOf(inodes).values()].flatMap((held) => [...held]));
  return seen.size < inodes.size;
}
