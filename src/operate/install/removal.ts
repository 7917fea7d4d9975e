import { readdir, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pod } from '../../cli/pod.ts';
import { journalFilesAmong } from '../../engine/observe/journal/journal-files.ts';
import { isRendered } from '../../engine/render/rendered-mark.ts';
import { codeOf } from '../../engine/system/errors.ts';
import { nameBehind } from '../../engine/system/file/atomic-write.ts';
import { moveFile } from './apply-steps.ts';
import { type Disk, fileOn, namesIn, savedName, textOn } from './disk.ts';
import { isManifest, layout, podLayout } from './layout.ts';
import { type InstallRecord, sha256 } from './record.ts';

export type Removal =
  | { readonly kind: 'remove'; readonly path: string }
  /** The file was edited after the install. */
  | { readonly kind: 'save'; readonly path: string; readonly to: string }
  /** A configuration that was moved aside gets its name back. */
  | { readonly kind: 'move-back'; readonly path: string; readonly from: string }
  | { readonly kind: 'leave'; readonly path: string };

export interface RemovalPlan {
  /** The kubelet's manifests. They are removed first, and their pods must end before the rest is removed. */
  readonly manifests: readonly Removal[];
  readonly rest: readonly Removal[];
  /** The command and the record. They are removed last, in this order, so that the uninstall can be repeated if anything else is left. */
  readonly last: readonly Removal[];
  /** Folders that are removed if they are empty, deepest first. hawser's own may be from before the last install. */
  readonly directories: readonly string[];
}

/** Plans the removal of all files in the record and all files that the monitors wrote. No other files are removed. */
export function removals(
  disk: Disk,
  record: InstallRecord,
  { keepConfig }: { readonly keepConfig: boolean },
  pods: readonly Pod[],
): RemovalPlan {
  const kept: ReadonlySet<string> = new Set(keepConfig ? [layout.settings, layout.schema] : []);
  const files = record.files.filter(({ path }) => !kept.has(path));
  const written = writtenFiles(disk, pods);
  // Instances with a suffix are not the pods', and go on writing.
  const programs = new Set(pods.flatMap(({ daemons }) => daemons.map(({ name }) => journalProgram(name))));
  const journals = journalFilesAmong(layout.journalDir, namesIn(disk, layout.journalDir)).filter(
    ({ program }) => programs.has(program),
  );
  const kubeconfig = disk.at(layout.kubeconfig) === undefined ? [] : [layout.kubeconfig];
  const own = [...(keepConfig ? [] : kubeconfig), ...journals.map(({ path }) => path)];
  const {
    manifests = [],
    command = [],
    rest = [],
  } = Object.groupBy(files, ({ path }) =>
    isManifest(path) ? 'manifests' : path === layout.nodeCommand ? 'command' : 'rest',
  );
  const removalsOf = (of: InstallRecord['files']) => of.flatMap((file) => removalOf(disk, file));
  return {
    manifests: removalsOf(manifests),
    rest: [
      ...removalsOf(rest),
      ...[...written.ours, ...own].map((path) => ({ kind: 'remove', path }) as const),
      ...written.foreign.map((path) => ({ kind: 'leave', path }) as const),
      ...movesBack(disk, new Set(written.foreign), pods),
    ],
    last: [...removalsOf(command), { kind: 'remove', path: layout.record }],
    directories: [...new Set([...record.directories.toReversed(), layout.settingsDir, layout.journalDir])],
  };
}

/** The name of a daemon's journal: `haproxy supervise` writes `haproxy-supervisor.001.jsonl`. */
function journalProgram(command: string): string {
  return command.replace(/ supervise$/, ' supervisor').replace(' ', '-');
}

function removalOf(disk: Disk, file: InstallRecord['files'][number]): readonly Removal[] {
  const { path } = file;
  const there = fileOn(disk, path);
  if (disk.at(path) === undefined) return [];
  if (there !== undefined && sha256(there.content) === file.sha256) return [{ kind: 'remove', path }];
  return [{ kind: 'save', path, to: savedName(disk, path) }];
}

/** Moves configurations back that install or a monitor moved aside, unless one of `occupied` has the original path. */
function movesBack(disk: Disk, occupied: ReadonlySet<string>, pods: readonly Pod[]): readonly Removal[] {
  return pods.map(podLayout).flatMap(({ packaged: path, aside: from }) => {
    const isMovable = disk.at(from) !== undefined && !occupied.has(path);
    return isMovable ? { kind: 'move-back' as const, path, from } : [];
  });
}

/** Suffixes of the files next to a configuration: its candidate, its last good copy, and the file that a removed node renamed. */
const KEPT = ['.candidate', '.last-good', '.left'];

interface WrittenFiles {
  readonly ours: readonly string[];
  /** Configurations at hawser's paths that hawser did not render. */
  readonly foreign: readonly string[];
}

/** Returns the files that the monitors wrote into their folders. All other files belong to the operator or to a package. */
export function writtenFiles(disk: Disk, pods: readonly Pod[]): WrittenFiles {
  const ours: string[] = [];
  const foreign: string[] = [];
  for (const pod of pods) {
    const { dataDir, configuration } = podLayout(pod);
    // Only the configuration itself may belong to a package or a guide. No other program uses the other names.
    const isState = (name: string): boolean =>
      pod.state.test(name) || KEPT.some((suffix) => `${dataDir}/${name}` === `${configuration}${suffix}`);
    for (const name of namesIn(disk, dataDir)) {
      const path = `${dataDir}/${name}`;
      const origin = nameBehind(name) ?? '';
      const isTemporary = isState(origin) || `${dataDir}/${origin}` === configuration;
      if (isState(name) || isTemporary) ours.push(path);
      else if (path === configuration) (isOwn(disk, path) ? ours : foreign).push(path);
    }
  }
  return { ours, foreign };
}

/** Whether hawser rendered the configuration. An edited template may lack the mark; then the file equals the last good copy. */
function isOwn(disk: Disk, path: string): boolean {
  const text = textOn(disk, path) ?? '';
  return isRendered(text) || text === textOn(disk, `${path}.last-good`);
}

/** Applies one removal. It is not an error if the file to remove does not exist. */
export async function applyRemoval(root: string, removal: Removal): Promise<void> {
  const path = join(root, removal.path);
  switch (removal.kind) {
    case 'remove':
      return await rm(path, { force: true });
    case 'save':
      return await rename(path, join(root, removal.to));
    case 'leave':
      return;
    case 'move-back':
      return await moveFile(join(root, removal.from), path);
  }
}

/** Removes a folder if it is empty. Resolves with the names in the folder if it is not. */
export async function removeIfEmpty(root: string, path: string): Promise<readonly string[]> {
  const folder = join(root, path);
  try {
    await rmdir(folder);
    return [];
  } catch (error) {
    const code = codeOf(error) ?? '';
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return (await readdir(folder)).toSorted();
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}
