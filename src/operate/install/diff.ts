import { dirname, join } from 'node:path';
import { containerOf, type Pod } from '../../cli/pod.ts';
import { isRendered } from '../../engine/render/rendered-mark.ts';
import { type DesiredInstall, recordOf } from './desired.ts';
import { cannotReplace, type Disk, type Entry, fileOn, savedName, serviceOf, textOn } from './disk.ts';
import {
  type DesiredFile,
  type DesiredFolder,
  isManifest,
  layout,
  podLayout,
  sharedFolders,
} from './layout.ts';
import { type InstallRecord, sha256 } from './record.ts';

type FileState = Pick<Extract<Entry, { kind: 'file' }>, 'content' | 'mode'>;

/** One change. `before` is the state that undoes it. Paths are relative to the node's root directory. */
export type Step =
  | { readonly kind: 'make-directory'; readonly path: string }
  | { readonly kind: 'change-mode'; readonly path: string; readonly mode: number; readonly before: number }
  | { readonly kind: 'change-group'; readonly path: string; readonly group: number; readonly before: number }
  | { readonly kind: 'move'; readonly path: string; readonly to: string }
  | { readonly kind: 'write'; readonly file: DesiredFile; readonly before: FileState | undefined };

/** A file on the node whose content hawser neither wrote nor would write. */
export interface EditedFile {
  /** The content on the node. */
  readonly content: string;
  readonly mode: number;
  readonly desired: DesiredFile;
  /** The SHA-256 in the record of what hawser wrote; undefined if hawser did not write the file. */
  readonly recorded: string | undefined;
  /** Whether hawser would write other content than last time, which would discard the edits. */
  readonly isOutdated: boolean;
}

/** A configuration of the same program that comes from a package or a guide. */
export interface ForeignConfiguration {
  readonly path: string;
  /** The name under which the file is kept while hawser is installed. */
  readonly aside: string;
  /** The systemd unit that starts at boot and reads the file. */
  readonly service: string | undefined;
}

export interface Difference {
  readonly steps: readonly Step[];
  /** Edited files that are not changed. */
  readonly edited: readonly EditedFile[];
  readonly foreign: readonly ForeignConfiguration[];
  /** Manifests with hawser's names that hawser did not write. An install must not replace them. */
  readonly others: readonly string[];
  /** Obstacles, such as a file where a folder belongs. */
  readonly problems: readonly string[];
}

const FOLDER_MODE = 0o755;

/**
 * Returns the steps from the disk to the desired state; none if nothing differs. The record is written before the first manifest, so that an
 * interrupted install can be uninstalled. Edited files stay, or with `overwrite` are saved before they are replaced.
 */
export function diff(root: string, disk: Disk, desired: DesiredInstall, overwrite: boolean): Difference {
  const others = othersManifests(disk, desired);
  const aside = foreignConfigurations(disk, desired.pods);
  const changed = editedFiles(disk, editableFiles(desired, others));
  const stays = new Map(
    (overwrite ? [] : changed).map(({ desired: { path }, recorded }) => [path, recorded]),
  );
  const isWritten = ({ path }: DesiredFile) => !stays.has(path);
  const files = [
    ...(overwrite ? changed.map((file) => backupOf(disk, file)) : []),
    ...desired.support.filter(isWritten),
  ];
  const manifests = desired.manifests.filter(isWritten);
  const folders = sharedFolders(desired.pods);
  const parents = [...files, { path: layout.record }, ...manifests].map(({ path }) => dirname(path));
  const made = [...folders.map(({ path }) => path), ...parents].map((path) =>
    missingFolders(root, disk, path),
  );
  const directories = [
    ...new Set([
      ...(disk.record?.directories ?? []),
      ...made.flatMap((each) => ('missing' in each ? each.missing : [])),
    ]),
  ];
  const checksums = [...desired.support, ...desired.manifests].flatMap(({ path, content }) => {
    const checksum = stays.has(path) ? stays.get(path) : sha256(content);
    return checksum === undefined ? [] : [{ path, sha256: checksum }];
  });
  const record = recordOf(desired, directories, checksums);
  // If the install is interrupted, a manifest that was not replaced yet must not look edited.
  const first = recordOf(
    desired,
    directories,
    checksums.map((each) => recordedManifest(disk, each)),
  );
  const last = first.content === record.content ? [] : [record];
  const planned = planFiles(root, disk, [...files, first, ...manifests, ...last], folders);
  const moves = aside.found.map(({ path, aside: to }) => ({ kind: 'move', path, to }) as const);
  return {
    steps: [...moves, ...planned.steps],
    edited: overwrite ? [] : changed,
    foreign: aside.found,
    others,
    problems: [...aside.problems, ...planned.problems],
  };
}

/** The earlier checksum of a manifest that will be replaced; that of any other file as given. */
function recordedManifest(disk: Disk, file: InstallRecord['files'][number]): InstallRecord['files'][number] {
  const recorded = disk.record?.files.find(({ path }) => path === file.path);
  return recorded !== undefined && isManifest(file.path) && fileOn(disk, file.path) ? recorded : file;
}

/**
 * Returns the steps that create or change these folders and files, in their order. Missing parent folders are created with mode 0755.
 */
export function planFiles(
  root: string,
  disk: Disk,
  desired: readonly DesiredFile[],
  folders: readonly DesiredFolder[] = [],
): { readonly steps: readonly Step[]; readonly problems: readonly string[] } {
  const made = new Set<string>();
  const problems = new Set<string>();
  const makeFolder = (path: string): readonly Step[] => {
    const found = missingFolders(root, disk, path);
    if ('problem' in found) problems.add(found.problem);
    const missing = 'missing' in found ? found.missing.filter((each) => !made.has(each)) : [];
    for (const each of missing) made.add(each);
    return missing.map((each) => ({ kind: 'make-directory', path: each }));
  };
  const writeFile = (file: DesiredFile): readonly Step[] => {
    const entry = disk.at(file.path);
    const there = fileOn(disk, file.path);
    if (entry === undefined || there !== undefined) return stepsFor(file, there);
    problems.add(cannotReplace(join(root, file.path), entry));
    return [];
  };
  const steps = [
    ...folders.flatMap((folder) => [...makeFolder(folder.path), ...folderSteps(disk, folder)]),
    ...desired.flatMap((file) => [...makeFolder(dirname(file.path)), ...writeFile(file)]),
  ];
  return { steps, problems: [...problems] };
}

function stepsFor(file: DesiredFile, before: FileState | undefined): readonly Step[] {
  const { path, mode } = file;
  if (before === undefined || !before.content.equals(Buffer.from(file.content)))
    return [{ kind: 'write', file, before }];
  return before.mode === mode ? [] : [{ kind: 'change-mode', path, mode, before: before.mode }];
}

/** Existing folders are changed as well, because the pods depend on their mode and group. */
function folderSteps(disk: Disk, { path, mode, group }: DesiredFolder): readonly Step[] {
  const entry = disk.at(path);
  const before = entry?.kind === 'folder' ? entry : { mode: FOLDER_MODE, group: 0 };
  // The group is changed first, because chown(2) may clear mode bits.
  const steps: Step[] = [];
  if (group !== undefined && group !== before.group)
    steps.push({ kind: 'change-group', path, group, before: before.group });
  if (mode !== undefined && mode !== before.mode)
    steps.push({ kind: 'change-mode', path, mode, before: before.mode });
  return steps;
}

type Missing = { readonly missing: readonly string[] } | { readonly problem: string };

function missingFolders(root: string, disk: Disk, path: string): Missing {
  if (path === '/' || path === '.') return { missing: [] };
  const above = missingFolders(root, disk, dirname(path));
  const entry = disk.at(path);
  if ('problem' in above || entry?.kind === 'folder') return above;
  if (entry === undefined) return { missing: [...above.missing, path] };
  return {
    problem: `Cannot use "${join(root, path)}" as a folder: it is a file, expected a folder or nothing`,
  };
}

function othersManifests(disk: Disk, { manifests }: DesiredInstall): readonly string[] {
  return manifests.flatMap(({ path, content }) => {
    const isOurs = disk.record?.files.some((file) => file.path === path) ?? false;
    const there = isOurs ? undefined : fileOn(disk, path);
    return there === undefined || there.content.equals(Buffer.from(content)) ? [] : [path];
  });
}

/** The templates and manifests, which an operator may have edited, except `others`. */
function editableFiles(
  { pods, support, manifests }: DesiredInstall,
  others: readonly string[],
): readonly DesiredFile[] {
  const templates = new Set(pods.map((pod) => podLayout(pod).template));
  const own = [...support.filter(({ path }) => templates.has(path)), ...manifests];
  return own.filter(({ path }) => !others.includes(path));
}

function editedFiles(disk: Disk, files: readonly DesiredFile[]): readonly EditedFile[] {
  return files.flatMap((desired) => {
    const { path } = desired;
    const there = fileOn(disk, path);
    const recorded = disk.record?.files.find((file) => file.path === path)?.sha256;
    if (there === undefined || sha256(there.content) === recorded) return [];
    if (there.content.equals(Buffer.from(desired.content))) return [];
    const isOutdated = recorded !== sha256(desired.content);
    return [{ content: there.content.toString('utf8'), mode: there.mode, desired, recorded, isOutdated }];
  });
}

function backupOf(disk: Disk, { desired: { path }, content, mode }: EditedFile): DesiredFile {
  return { path: savedName(disk, path), content, mode };
}

/** Finds configurations at the paths of distribution packages that hawser did not render. */
function foreignConfigurations(disk: Disk, pods: readonly Pod[]) {
  const found: ForeignConfiguration[] = [];
  const problems: string[] = [];
  // On a node with hawser installed, the monitor keeps a copy of what it replaces.
  if (disk.record !== undefined) return { found, problems };
  for (const pod of pods) {
    const { packaged: path, aside } = podLayout(pod);
    const entry = disk.at(path);
    const content = textOn(disk, path);
    const kept = textOn(disk, aside);
    if (entry?.kind === 'unreadable') problems.push(`Cannot read "${path}": ${entry.message}`);
    else if (content === undefined || isRendered(content)) continue;
    else if (kept === undefined) {
      const service = disk.at(serviceOf(pod)) === undefined ? undefined : `${pod.program}.service`;
      found.push({ path, aside, service });
    } else if (kept !== content)
      problems.push(
        `Cannot keep "${path}" as "${aside}": that file exists already; move one of the two away`,
      );
  }
  return { found, problems };
}

/** A pod that the kubelet restarts because its manifest changes. */
export interface Restart {
  readonly manifest: string;
  readonly containers: readonly string[];
}

/** Returns the pods whose existing manifests change. New pods are not included. */
export function restarts(steps: readonly Step[], pods: readonly Pod[]): readonly Restart[] {
  const changed = new Set(
    steps.flatMap((step) => (step.kind === 'write' && step.before !== undefined ? step.file.path : [])),
  );
  return pods.flatMap((pod) => {
    const { manifest } = podLayout(pod);
    return changed.has(manifest) ? { manifest, containers: pod.daemons.map(containerOf) } : [];
  });
}
