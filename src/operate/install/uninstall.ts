import { join } from 'node:path';
import { ConfigError, messageOf } from '../../engine/system/errors.ts';
import { findAddress, removeAddress } from '../../engine/system/network/interface-addresses.ts';
import { effectiveSettings, type Installable } from './effective-settings.ts';
import type { UninstallSettings } from './install-settings.ts';
import { layout } from './layout.ts';
import { fileState } from './plan.ts';
import { createProgress, type Progress } from './progress.ts';
import { type InstallRecord, parseRecord, whyNoRecord } from './record.ts';
import { applyRemoval, planRemoval, type Removal, type RemovalPlan, removeIfEmpty } from './removal.ts';
import { supervisorPorts } from './supervisor-pages.ts';
import { waitForEnd } from './wait-for-end.ts';

/** Longer than in a failover: nothing depends on it, and the machine may be busy. */
const LOOK_TIMEOUT_MS = 10_000;

/** Removes the products' nftables tables. `changed` if there was a redirect; `left` names what could not be removed. */
export type RemoveTables = () => Promise<{ readonly changed: boolean; readonly left: readonly string[] }>;

/** Resolves with 0 if nothing of hawser is left, and with 1 after it has listed what is. */
export async function uninstall(
  asked: UninstallSettings,
  known: Installable,
  removeTables: RemoveTables,
): Promise<number> {
  const progress = await createProgress(asked.json);
  const path = layout.record;
  const text = await textAt(asked.root, path);
  if (text === undefined) return progress.end('nothing-to-do', `nothing to do: ${path} is not there\n`);
  const record = parseRecord(text);
  if (record === undefined) throw new ConfigError([whyNoRecord(path, text)]);
  const plan = await planRemoval(asked.root, record, asked, known.pods);
  if (!asked.dryRun) return await remove(asked, known, record, plan, progress, removeTables);
  for (const removal of [...plan.manifests, ...plan.rest]) progress.step(removal);
  return progress.end('dry-run', '');
}

async function textAt(root: string, path: string): Promise<string | undefined> {
  return (await fileState(join(root, path)))?.content.toString('utf8');
}

/** In this order, because a running pod would recreate removed files. */
async function remove(
  { root, timeout }: UninstallSettings,
  known: Installable,
  record: InstallRecord,
  plan: RemovalPlan,
  progress: Progress,
  removeTables: RemoveTables,
): Promise<number> {
  const leave = (left: readonly string[]) => progress.end('left', '', left);
  const { pods } = known;
  const vips = await vipsOf(root, record, known);
  const ports = [...record.ports, ...(await supervisorPorts(pods))];
  const daemons = pods.flatMap((pod) => pod.daemons.map(({ name }) => name));
  const failed = await removeAll(root, plan.manifests, progress);
  if (failed.length > 0) return leave(failed);
  const running = await waitForEnd(ports, daemons, timeout);
  if (running.length > 0)
    return leave([
      ...running.map(
        (each) => `${each}: still runs, expected its end after ${timeout} ms (does the kubelet run?)`,
      ),
      'everything else was left as it is: type hawser uninstall again',
    ]);
  const left = [
    ...(await sweep(vips, progress)),
    ...(await removeFirewallTables(progress, removeTables)),
    ...(await removeAll(root, plan.rest, progress)),
  ];
  if (left.length > 0) return leave(left);
  // The record goes last, so that the command can be repeated while anything is left.
  const last = { kind: 'remove', path: layout.record } as const;
  const late = [
    ...(await removeAll(root, [last], progress)),
    ...(await removeFolders(root, plan.directories, progress)),
  ];
  return late.length === 0 ? progress.end('done', 'done: nothing of hawser is left\n') : leave(late);
}

/** The VIPs of the install, and of the current settings if those can be read. */
async function vipsOf(root: string, record: InstallRecord, known: Installable): Promise<readonly string[]> {
  try {
    const text = (await textAt(root, layout.settings)) ?? '';
    return [...new Set([...record.vips, ...effectiveSettings(text, layout.settings, known).vips.all])];
  } catch {
    return record.vips;
  }
}

/** A VIP has the whole address as its prefix (/32, /128); the node's own addresses have their subnet's. */
async function sweep(vips: readonly string[], progress: Progress): Promise<readonly string[]> {
  const left: string[] = [];
  for (const vip of vips) {
    const everywhere = await findAddress(vip, LOOK_TIMEOUT_MS);
    if (everywhere === undefined)
      left.push(`VIP ${vip}: cannot be looked for, expected "ip address show" to work (iproute2)`);
    for (const found of everywhere ?? []) {
      if (!/\/(?:32|128)$/.test(found.cidr)) continue;
      const trouble = await removeAddress(found);
      if (trouble === undefined)
        progress.step({ kind: 'remove-vip', vip: found.cidr, interface: found.interface });
      else left.push(trouble);
    }
  }
  return left;
}

async function removeFirewallTables(
  progress: Progress,
  removeTables: RemoveTables,
): Promise<readonly string[]> {
  const { changed, left } = await removeTables();
  if (changed) progress.step({ kind: 'remove-firewall-table' });
  return left;
}

async function removeAll(
  root: string,
  removals: readonly Removal[],
  progress: Progress,
): Promise<readonly string[]> {
  const left: string[] = [];
  for (const removal of removals)
    await applyRemoval(root, removal).then(
      () => progress.step(removal),
      (error) => left.push(`${removal.path}: ${messageOf(error)}`),
    );
  return left;
}

async function removeFolders(
  root: string,
  folders: readonly string[],
  progress: Progress,
): Promise<readonly string[]> {
  const left: string[] = [];
  for (const path of folders)
    await removeIfEmpty(root, path).then(
      (holds) => {
        if (holds.length > 0) progress.step({ kind: 'leave-folder', path, holds });
      },
      (error) => left.push(`${path}: ${messageOf(error)}`),
    );
  return left;
}
