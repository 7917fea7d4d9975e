import { lstat, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Pod } from '../../cli/pod.ts';
import { journalFilesAmong } from '../../engine/observe/journal/journal-files.ts';
import { ASIDE_SUFFIX } from '../../engine/render/rendered-mark.ts';
import { codeOf } from '../../engine/system/errors.ts';
import { freeName } from './edited-files.ts';
import { layout, podLayout } from './layout.ts';
import { moveFile } from './move-file.ts';
import { fileState } from './plan.ts';
import { type InstallRecord, sha256 } from './record.ts';
import { writtenFiles } from './written-files.ts';

export type Removal =
  | { readonly kind: 'remove'; readonly path: string }
  /** It was edited since it was installed. */
  | { readonly kind: 'save'; readonly path: string; readonly to: string }
  /** A configuration that was moved aside gets its name back. */
  | { readonly kind: 'move-back'; readonly path: string; readonly from: string }
  | { readonly kind: 'leave'; readonly path: string }
  /** A folder of hawser's with files that hawser did not write. */
  | { readonly kind: 'leave-folder'; readonly path: string; readonly holds: readonly string[] };

export interface RemovalPlan {
  /** The kubelet's manifests: first, and the pods have to end before the rest. */
  readonly manifests: readonly Removal[];
  readonly rest: readonly Removal[];
  /** That go if nothing else is in them, deepest first. */
  readonly directories: readonly string[];
}

/** The steps of an uninstall. They cover only the files in the record, and those that the monitors wrote. */
export async function planRemoval(
  root: string,
  record: InstallRecord,
  { keepConfig }: { readonly keepConfig: boolean },
  pods: readonly Pod[],
): Promise<RemovalPlan> {
  const kept: ReadonlySet<string> = new Set(keepConfig ? [layout.settings, layout.schema] : []);
  const files = record.files.filter(({ path }) => !kept.has(path));
  const isManifest = ({ path }: { readonly path: string }) => dirname(path) === layout.manifests;
  const removals = async (list: typeof files) =>
    (await Promise.all(list.map((file) => removalOf(root, file)))).flat();
  const written = await writtenFiles(root, pods);
  const own = keepConfig ? [] : [layout.kubeconfig, ...(await journalFiles(root))];
  return {
    manifests: await removals(files.filter(isManifest)),
    rest: [
      ...(await removals(files.filter((file) => !isManifest(file)))),
      ...(await existing(root, [...written.ours, ...own])),
      ...written.foreign.map((path) => ({ kind: 'leave', path }) as const),
      ...(await movesBack(root, new Set(written.foreign), pods)),
    ],
    directories: record.directories.toReversed(),
  };
}

async function removalOf(
  root: string,
  file: { readonly path: string; readonly sha256: string },
): Promise<readonly Removal[]> {
  const { path } = file;
  const there = await fileState(join(root, path));
  if (there === undefined) return [];
  if (sha256(there.content) === file.sha256) return [{ kind: 'remove', path }];
  // The kubelet would read a saved manifest beside the others as one more pod.
  const folder = dirname(path) === layout.manifests ? layout.kubernetes : dirname(path);
  return [{ kind: 'save', path, to: freeName(root, `${folder}/${basename(path)}`) }];
}

/** Also what a monitor moved aside, which no record names. A file that has taken the place since stays. */
async function movesBack(
  root: string,
  taken: ReadonlySet<string>,
  pods: readonly Pod[],
): Promise<readonly Removal[]> {
  const found = await Promise.all(
    pods.map(podLayout).map(async ({ packaged: path }) => {
      const from = `${path}${ASIDE_SUFFIX}`;
      const isThere = await lstat(join(root, from)).then(
        () => true,
        () => false,
      );
      return isThere && !taken.has(path) ? [{ kind: 'move-back', path, from } as const] : [];
    }),
  );
  return found.flat();
}

async function journalFiles(root: string): Promise<readonly string[]> {
  const names = await readdir(join(root, layout.journalDir)).catch(() => []);
  return journalFilesAmong(layout.journalDir, names).map(({ path }) => path);
}

async function existing(root: string, paths: readonly string[]): Promise<readonly Removal[]> {
  const found = await Promise.all(
    paths.map(async (path) => ({ path, there: await fileState(join(root, path)) })),
  );
  return found.flatMap(({ path, there }) => (there === undefined ? [] : [{ kind: 'remove', path } as const]));
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
    case 'leave-folder':
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

export function removalText(removal: Removal): string {
  switch (removal.kind) {
    case 'remove':
      return `- ${removal.path}`;
    case 'save':
      return `~ ${removal.path} was edited, kept as ${removal.to}`;
    case 'move-back':
      return `+ ${removal.path}, as it was before hawser`;
    case 'leave':
      return `  ${removal.path} is not hawser's: it stays`;
    case 'leave-folder':
      return `  ${removal.path} stays: it holds ${removal.holds.join(', ')}`;
  }
}
