import { join } from 'node:path';
import type { Draft, OnDisk } from './draft.ts';
import { type EditedFile, freeName } from './edited-files.ts';
import { portsOf } from './effective-settings.ts';
import type { ForeignConfiguration } from './foreign-configurations.ts';
import { layout, sharedFolders } from './layout.ts';
import { fileState, type Plan, planFiles, type WantedFile } from './plan.ts';
import { type InstallRecord, recordText, sha256 } from './record.ts';

/** Files on the node that hawser did not write, or that were edited since. */
export interface Others {
  readonly foreign: readonly ForeignConfiguration[];
  readonly edited: readonly EditedFile[];
}

/** Paths of other pods with the names of ours, which an install must not replace. */
export async function othersManifests(root: string, draft: Draft, disk: OnDisk): Promise<readonly string[]> {
  const found = draft.manifests.map(async ({ path, content }) => {
    const isOurs = disk.record?.files.some((file) => file.path === path) ?? false;
    // The plan's problems list a file that cannot be read.
    const there = isOurs ? undefined : await fileState(join(root, path)).catch(() => undefined);
    return there === undefined || there.content.equals(Buffer.from(content)) ? [] : [path];
  });
  return (await Promise.all(found)).flat();
}

/**
 * The record is written before the first manifest, so that an interrupted install can be uninstalled. Edited files
 * stay, or are kept beside their replacement.
 */
export async function planInstall(
  root: string,
  draft: Draft,
  disk: OnDisk,
  { foreign, edited }: Others,
  overwrite: boolean,
): Promise<Plan> {
  const moves = foreign.map(({ path, aside }) => ({ kind: 'move', path, to: aside }) as const);
  const backups = overwrite ? edited.map((file) => backupOf(root, file)) : [];
  const stays = new Set(overwrite ? [] : edited.map(({ path }) => path));
  const isWritten = ({ path }: WantedFile) => !stays.has(path);
  const files = [...backups, ...draft.support.filter(isWritten)];
  const manifests = draft.manifests.filter(isWritten);
  const { steps } = await planFiles(root, [...files, ...manifests], sharedFolders(draft.pods));
  const made = steps.flatMap((step) => (step.kind === 'make-directory' ? step.path : []));
  const record: InstallRecord = {
    ...recordOf(draft),
    directories: [...new Set([...(disk.record?.directories ?? []), ...made])],
    files: [...draft.support, ...draft.manifests].flatMap(({ path, content }) => {
      const checksum = stays.has(path)
        ? edited.find((file) => file.path === path)?.recorded
        : sha256(content);
      return checksum === undefined ? [] : [{ path, sha256: checksum }];
    }),
  };
  const recordFile = { path: layout.record, content: recordText(record), mode: 0o644 };
  const plan = await planFiles(root, [...files, recordFile, ...manifests], sharedFolders(draft.pods));
  return { ...plan, steps: [...moves, ...plan.steps] };
}

/** Every file, as on an empty node. */
export function allFiles(draft: Draft): readonly WantedFile[] {
  const files = [...draft.support, ...draft.manifests];
  const record: InstallRecord = {
    ...recordOf(draft),
    directories: [],
    files: files.map(({ path, content }) => ({ path, sha256: sha256(content) })),
  };
  const recordFile = { path: layout.record, content: recordText(record), mode: 0o644 };
  return [...draft.support, recordFile, ...draft.manifests];
}

function recordOf(draft: Draft): Omit<InstallRecord, 'directories' | 'files'> {
  return {
    version: 1,
    image: draft.image,
    ...(draft.credentials === 'own' ? {} : { credentials: draft.credentials }),
    vips: [...draft.settings.vips.all],
    ports: portsOf(draft.settings).map(({ port }) => port),
    ...(draft.patches === undefined ? {} : { patches: draft.patches }),
  };
}

/** Not beside the manifests: the kubelet would read the copy as another pod. */
function backupOf(root: string, { path, content, mode }: EditedFile): WantedFile {
  const isManifest = path.startsWith(`${layout.manifests}/`);
  const beside = isManifest ? `${layout.kubernetes}${path.slice(layout.manifests.length)}` : path;
  return { path: freeName(root, beside), content, mode };
}
