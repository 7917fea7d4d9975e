import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { readCommandLine } from '../config/command-line.ts';
import { type InstallSettings, installCommand, installSettings } from '../config/install-settings.ts';
import { applySteps } from '../install/apply-steps.ts';
import { type ForeignConfiguration, foreignConfigurations } from '../install/foreign-configurations.ts';
import { layout, sharedFolders } from '../install/layout.ts';
import { fileState, type Plan, planFiles, planText, type WantedFile } from '../install/plan.ts';
import { type InstallRecord, recordText, sha256 } from '../install/record.ts';
import { ConfigError } from '../model/errors.ts';
import { chooseClusterName } from './install/cluster-name.ts';
import { type Draft, draftInstall, type OnDisk, readDisk } from './install/draft.ts';
import { portsOf } from './install/effective-settings.ts';
import { objectionsTo } from './install/objections.ts';

/** `hawser install`. Throws a ConfigError with every reason why not; nothing was written then. */
export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(installCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  const asked = installSettings(line.values);
  const disk = await readDisk(asked.root);
  const first = draftInstall(asked, disk);
  const choice = await chooseClusterName(asked, first, disk);
  const draft =
    choice.kind === 'learned' ? draftInstall({ ...asked, clusterName: choice.name }, disk) : first;
  const replaced = await othersManifests(asked.root, draft, disk);
  const foreign = foreignConfigurations(asked.root);
  const plan = await planInstall(asked.root, draft, disk, replaced, foreign.found);
  const { problems, notices } = await objectionsTo(asked, draft, disk, replaced);
  for (const notice of [...notices, ...foreign.found.map(foreignNotice)])
    process.stdout.write(`notice: ${notice}\n`);
  if (asked.dryRun) process.stdout.write(planText(plan));
  const refused = choice.kind === 'refused' ? [choice.message] : [];
  const all = [...problems, ...refused, ...foreign.problems, ...plan.problems];
  if (all.length > 0) throw new ConfigError(all);
  if (plan.steps.length === 0) return say('nothing to do: everything is as it should be\n');
  if (asked.dryRun) return say(`dry run: nothing was written, ${plan.steps.length} steps were left out\n`);
  process.stdout.write(planText(plan));
  if (!asked.yes && !(await isAgreed())) return say('nothing was written\n', 1);
  return await write(asked, plan);
}

function say(text: string, exitCode = 0): number {
  process.stdout.write(text);
  return exitCode;
}

/** Another's pods under the names of ours: the openshift flavour takes their place, the kubeadm one must not. */
async function othersManifests(root: string, draft: Draft, disk: OnDisk): Promise<readonly WantedFile[]> {
  const found = draft.manifests.map(async ({ path, content, mode }) => {
    const isOurs = disk.record?.files.some((file) => file.path === path) ?? false;
    // What cannot be read is among the problems of the plan.
    const there = isOurs ? undefined : await fileState(join(root, path)).catch(() => undefined);
    if (there === undefined || there.content.equals(Buffer.from(content))) return [];
    return [{ path, content: there.content.toString('utf8'), mode }];
  });
  return (await Promise.all(found)).flat();
}

/** The record lies there before the first manifest does: an install that was cut off can be taken away again. */
async function planInstall(
  root: string,
  draft: Draft,
  disk: OnDisk,
  replaced: readonly WantedFile[],
  foreign: readonly ForeignConfiguration[],
): Promise<Plan> {
  // Pods that still run read their configuration until the kubelet has ended them: it is copied, and the monitor replaces it.
  const isRead = replaced.length > 0;
  const copies = isRead ? foreign.map(({ aside, content, mode }) => ({ path: aside, content, mode })) : [];
  const moves = isRead ? [] : foreign.map(({ path, aside }) => ({ kind: 'move', path, to: aside }) as const);
  const saved = replaced.map(({ path, content, mode }) => ({
    ...{ path: `${layout.replacedDir}/${path.slice(layout.manifests.length + 1)}`, content, mode },
  }));
  const files = [...saved, ...copies, ...draft.support];
  const { steps } = await planFiles(root, [...files, ...draft.manifests], sharedFolders);
  const made = steps.flatMap((step) => (step.kind === 'make-directory' ? step.path : []));
  const record: InstallRecord = {
    version: 1,
    flavor: draft.flavor,
    image: draft.image,
    vips: [...draft.settings.keepalivedMonitor.vips],
    ports: portsOf(draft.settings).map(({ port }) => port),
    directories: [...new Set([...(disk.record?.directories ?? []), ...made])],
    files: [...draft.support, ...draft.manifests].map(({ path, content }) => ({
      path,
      sha256: sha256(content),
    })),
    replaced: [
      ...(disk.record?.replaced ?? []),
      ...replaced.map(({ path }, index) => ({ path, saved: saved[index]?.path ?? '' })),
    ],
  };
  const recordFile = { path: layout.record, content: recordText(record), mode: 0o644 };
  const plan = await planFiles(root, [...files, recordFile, ...draft.manifests], sharedFolders);
  return { ...plan, steps: [...moves, ...plan.steps] };
}

function foreignNotice({ path, aside, service }: ForeignConfiguration): string {
  const kept = `${path} is not hawser's: it is kept as ${aside}, and hawser uninstall puts it back`;
  return service === undefined ? kept : `${kept}; ${service} reads it: systemctl disable --now ${service}`;
}

async function isAgreed(): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new ConfigError(['Cannot ask whether to go on: there is no terminal, expected --yes or --dry-run']);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question('Write this? [y/N] ');
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

async function write({ root }: InstallSettings, { steps }: Plan): Promise<number> {
  const outcome = await applySteps(root, steps);
  if (outcome.kind === 'done') return say(`done: ${steps.length} steps\n`);
  process.stderr.write(`${outcome.message}\n`);
  for (const path of outcome.undone) process.stderr.write(`taken back: ${path}\n`);
  for (const each of outcome.left) process.stderr.write(`still as it was written: ${each}\n`);
  return 1;
}
