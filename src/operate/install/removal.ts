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
  /** It was edited since it was installed. */
  | { readonly kind: 'save'; readonly path: string; readonly to: string }
  /** A configuration that was moved aside gets its name back. */
  | { readonly kind: 'move-back'; readonly path: string; readonly from: string }
  | { readonly kind: 'leave'; readonly path: string };

export interface RemovalPlan {
  /** The kubelet's manifests: first, and the pods have to end before the rest. */
  readonly manifests: readonly Removal[];
  readonly rest: readonly Removal[];
  /** That go if nothing else is in them, deepest first. */
  readonly directories: readonly string[];
}

/** From the disk to nothing of hawser: only the files in the record, and those that the monitors wrote. */
export function removals(
  disk: Disk,
  record: InstallRecord,
  { keepConfig }: { readonly keepConfig: boolean },
  pods: readonly Pod[],
): RemovalPlan {
  const kept: ReadonlySet<string> = new Set(keepConfig ? [layout.settings, layout.schema] : []);
  const files = record.files.filter(({ path }) => !kept.has(path));
  const written = writtenFiles(disk, pods);
  const journals = journalFilesAmong(layout.journalDir, namesIn(disk, layout.journalDir));
  const kubeconfig = disk.at(layout.kubeconfig) === undefined ? [] : [layout.kubeconfig];
  const own = keepConfig ? [] : [...kubeconfig, ...journals.map(({ path }) => path)];
  return {
    manifests: files.filter(({ path }) => isManifest(path)).flatMap((file) => removalOf(disk, file)),
    rest: [
      ...files.filter(({ path }) => !isManifest(path)).flatMap((file) => removalOf(disk, file)),
      ...[...written.ours, ...own].map((path) => ({ kind: 'remove', path }) as const),
      ...written.foreign.map((path) => ({ kind: 'leave', path }) as const),
      ...movesBack(disk, new Set(written.foreign), pods),
    ],
    directories: record.directories.toReversed(),
  };
}

function removalOf(disk: Disk, file: InstallRecord['files'][number]): readonly Removal[] {
  const { path } = file;
  const there = fileOn(disk, path);
  if (disk.at(path) === undefined) return [];
  if (there !== undefined && sha256(there.content) === file.sha256) return [{ kind: 'remove', path }];
  return [{ kind: 'save', path, to: savedName(disk, path) }];
}

/** Also what a monitor moved aside, which no record names. A file that has taken the place since stays. */
function movesBack(disk: Disk, taken: ReadonlySet<string>, pods: readonly Pod[]): readonly Removal[] {
  return pods.map(podLayout).flatMap(({ packaged: path, aside: from }) => {
    const isThere = disk.at(from) !== undefined && !taken.has(path);
    return isThere ? { kind: 'move-back' as const, path, from } : [];
  });
}

/** Of a configuration: its candidate, its last good copy, and what a removed node has renamed. */
const KEPT = ['.candidate', '.last-good', '.left'];

interface WrittenFiles {
  readonly ours: readonly string[];
  /** Configurations where ours would be, that hawser did not render. */
  readonly foreign: readonly string[];
}

/** The files that the monitors wrote into their folders. All others belong to the operator or to a package. */
export function writtenFiles(disk: Disk, pods: readonly Pod[]): WrittenFiles {
  const ours: string[] = [];
  const foreign: string[] = [];
  for (const pod of pods) {
    const { dataDir, configuration } = podLayout(pod);
    // The configuration itself may also belong to a package or a guide; no other program has files of the other names.
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

/** An edited template may lack the mark: then the last good copy shows whose the file is. */
function isOwn(disk: Disk, path: string): boolean {
  const text = textOn(disk, path) ?? '';
  return isRendered(text) || text === textOn(disk, `${path}.last-good`);
}

/** Does one of them. It is fine if there is nothing left to remove. */
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

/** Removes an empty folder. Resolves with the names in a folder that holds other files, and so stays. */
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
