import { join } from 'node:path';
import { createRedirectKeeper } from '../api-lb/redirect-keeper.ts';
import { readCommandLine } from '../cli/command-line.ts';
import { ConfigError, messageOf } from '../engine/system/errors.ts';
import { findAddress, removeAddress } from '../engine/system/network/interface-addresses.ts';
import { effectiveSettings } from '../operate/install/effective-settings.ts';
import {
  type UninstallSettings,
  uninstallCommand,
  uninstallSettings,
} from '../operate/install/install-settings.ts';
import { layout } from '../operate/install/layout.ts';
import { fileState } from '../operate/install/plan.ts';
import { createProgress, type Progress } from '../operate/install/progress.ts';
import { type InstallRecord, parseRecord } from '../operate/install/record.ts';
import {
  applyRemoval,
  planRemoval,
  type Removal,
  type RemovalPlan,
  removeIfEmpty,
} from '../operate/install/removal.ts';
import { supervisorPages } from '../operate/install/supervisor-pages.ts';
import { waitForEnd } from '../operate/install/wait-for-end.ts';
import { createAdvertTrap } from '../vip/guards/advert-trap.ts';
import { createAnswerTrap } from '../vip/guards/answer-trap.ts';
import { createVipUseTrap } from '../vip/guards/vip-use-trap.ts';

/** Longer than in a failover: nothing depends on it, and the machine may be busy. */
const LOOK_TIMEOUT_MS = 10_000;

/** `hawser uninstall`: resolves with 0 if nothing is left, and with 1 after it has listed what is. */
export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(uninstallCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  const asked = uninstallSettings(line.values);
  const progress = await createProgress(asked.json);
  const text = await textAt(asked.root, layout.record);
  if (text === undefined)
    return progress.end('nothing-to-do', `nothing to do: ${layout.record} is not there\n`);
  const record = parseRecord(text);
  if (record === undefined)
    throw new ConfigError([`Cannot use "${layout.record}": it is not the record that hawser install wrote`]);
  const plan = await planRemoval(asked.root, record, asked);
  if (!asked.dryRun) return await remove(asked, record, plan, progress);
  for (const removal of [...plan.manifests, ...plan.rest]) progress.step(removal);
  return progress.end('dry-run', '');
}

async function textAt(root: string, path: string): Promise<string | undefined> {
  return (await fileState(join(root, path)))?.content.toString('utf8');
}

/** In this order, because a running pod would recreate removed files. */
async function remove(
  { root, timeout }: UninstallSettings,
  record: InstallRecord,
  plan: RemovalPlan,
  progress: Progress,
): Promise<number> {
  const leave = (left: readonly string[]) => progress.end('left', '', left);
  const vips = await vipsOf(root, record);
  const ports = [...record.ports, ...(await supervisorPages())];
  const failed = await removeAll(root, plan.manifests, progress);
  if (failed.length > 0) return leave(failed);
  const running = await waitForEnd(ports, timeout);
  if (running.length > 0)
    return leave([
      ...running.map(
        (each) => `${each}: still runs, expected its end after ${timeout} ms (does the kubelet run?)`,
      ),
      'everything else was left as it is: type hawser uninstall again',
    ]);
  const left = [
    ...(await sweep(vips, progress)),
    ...(await removeTables(progress)),
    ...(await removeAll(root, plan.rest, progress)),
  ];
  if (left.length > 0) return leave(left);
  // The record goes last, so that the command can be repeated while anything is left.
  const last = { kind: 'remove', path: layout.record } as const;
  const late = [
    ...(await removeAll(root, [last], progress)),
    ...(await removeFolders(root, plan.directories)),
  ];
  return late.length === 0 ? progress.end('done', 'done: nothing is left\n') : leave(late);
}

/** The VIPs of the install, and of the current settings if those can be read. */
async function vipsOf(root: string, record: InstallRecord): Promise<readonly string[]> {
  try {
    const text = (await textAt(root, layout.settings)) ?? '';
    return [...new Set([...record.vips, ...effectiveSettings(text, layout.settings).keepalivedMonitor.vips])];
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

async function removeTables(progress: Progress): Promise<readonly string[]> {
  const outcome = await createRedirectKeeper().remove();
  if (outcome.kind !== 'failed' && outcome.changed) progress.step({ kind: 'remove-firewall-table' });
  const traps = await Promise.all(
    [createAdvertTrap(), createAnswerTrap(), createVipUseTrap()].map((trap) => trap.remove()),
  );
  return [
    ...(outcome.kind === 'failed' ? [outcome.message] : []),
    ...traps.flatMap((message) => message ?? []),
  ];
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

async function removeFolders(root: string, folders: readonly string[]): Promise<readonly string[]> {
  const left: string[] = [];
  for (const path of folders)
    await removeIfEmpty(root, path).catch((error) => left.push(`${path}: ${messageOf(error)}`));
  return left;
}
