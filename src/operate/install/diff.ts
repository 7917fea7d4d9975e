import { dirname, join } from 'node:path';
import { containerOf, type Pod } from '../../cli/pod.ts';
import { isRendered } from '../../engine/render/rendered-mark.ts';
import { cannotReplace, type Disk, type Entry, fileOn, savedName, serviceOf, textOn } from './disk.ts';
import { layout, podLayout, sharedFolders, type WantedFile, type WantedFolder } from './layout.ts';
import { sha256 } from './record.ts';
import { recordOf, type Wanted } from './want.ts';

type FileState = Pick<Extract<Entry, { kind: 'file' }>, 'content' | 'mode'>;

/** One change; `before` is what undoes it. Paths are below the root directory. */
export type Step =
  | { readonly kind: 'make-directory'; readonly path: string }
  | { readonly kind: 'change-mode'; readonly path: string; readonly mode: number; readonly before: number }
  | { readonly kind: 'change-group'; readonly path: string; readonly group: number; readonly before: number }
  | { readonly kind: 'move'; readonly path: string; readonly to: string }
  | { readonly kind: 'write'; readonly file: WantedFile; readonly before: FileState | undefined };

/** A file that is on the node with another text than hawser wrote or would write. */
export interface EditedFile {
  /** The content on the node. */
  readonly content: string;
  readonly mode: number;
  readonly wanted: WantedFile;
  /** The content that hawser wrote, by the record; undefined if hawser did not write the file. */
  readonly recorded: string | undefined;
  /** Whether hawser would write another file than last time: it cannot, without losing what was edited. */
  readonly isOutdated: boolean;
}

/** A configuration of the same program, from a package or from the files of a guide. */
export interface ForeignConfiguration {
  /** On the node. */
  readonly path: string;
  readonly aside: string;
  /** A unit of systemd that is started at boot and reads the file. */
  readonly service: string | undefined;
}

export interface Difference {
  readonly steps: readonly Step[];
  /** Files that stay as they are. */
  readonly edited: readonly EditedFile[];
  readonly foreign: readonly ForeignConfiguration[];
  /** Pods of others with the names of ours, which an install must not replace. */
  readonly others: readonly string[];
  /** Obstacles, such as a file where a folder belongs. */
  readonly problems: readonly string[];
}

const FOLDER_MODE = 0o755;

/**
 * The steps from the disk to what is wanted; none if all is there. The record is written before the first manifest, so that an interrupted
 * install can be uninstalled. Edited files stay, or are saved next to their replacement.
 */
export function diff(root: string, disk: Disk, wanted: Wanted, overwrite: boolean): Difference {
  const others = othersManifests(disk, wanted);
  const aside = foreignConfigurations(disk, wanted.pods);
  const changed = editedFiles(disk, ownTexts(wanted, others));
  const stays = new Map((overwrite ? [] : changed).map(({ wanted: { path }, recorded }) => [path, recorded]));
  const isWritten = ({ path }: WantedFile) => !stays.has(path);
  const files = [
    ...(overwrite ? changed.map((file) => backupOf(disk, file)) : []),
    ...wanted.support.filter(isWritten),
  ];
  const manifests = wanted.manifests.filter(isWritten);
  const folders = sharedFolders(wanted.pods);
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
  const record = recordOf(
    wanted,
    directories,
    [...wanted.support, ...wanted.manifests].flatMap(({ path, content }) => {
      const checksum = stays.has(path) ? stays.get(path) : sha256(content);
      return checksum === undefined ? [] : [{ path, sha256: checksum }];
    }),
  );
  const planned = planFiles(root, disk, [...files, record, ...manifests], folders);
  const moves = aside.found.map(({ path, aside: to }) => ({ kind: 'move', path, to }) as const);
  return {
    steps: [...moves, ...planned.steps],
    edited: overwrite ? [] : changed,
    foreign: aside.found,
    others,
    problems: [...aside.problems, ...planned.problems],
  };
}

/**
 * The steps that are missing for these folders and files, in their order. Folders that are only on the way get mode 0755
 * when they are made.
 */
export function planFiles(
  root: string,
  disk: Disk,
  wanted: readonly WantedFile[],
  folders: readonly WantedFolder[] = [],
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
  const writeFile = (file: WantedFile): readonly Step[] => {
    const entry = disk.at(file.path);
    const there = fileOn(disk, file.path);
    if (entry === undefined || there !== undefined) return stepsFor(file, there);
    problems.add(cannotReplace(join(root, file.path), entry));
    return [];
  };
  const steps = [
    ...folders.flatMap((folder) => [...makeFolder(folder.path), ...folderSteps(disk, folder)]),
    ...wanted.flatMap((file) => [...makeFolder(dirname(file.path)), ...writeFile(file)]),
  ];
  return { steps, problems: [...problems] };
}

function stepsFor(file: WantedFile, before: FileState | undefined): readonly Step[] {
  const { path, mode } = file;
  if (before === undefined || !before.content.equals(Buffer.from(file.content)))
    return [{ kind: 'write', file, before }];
  return before.mode === mode ? [] : [{ kind: 'change-mode', path, mode, before: before.mode }];
}

/** Also for an existing folder: the pods depend on its mode and group. */
function folderSteps(disk: Disk, { path, mode, group }: WantedFolder): readonly Step[] {
  const entry = disk.at(path);
  const before = entry?.kind === 'folder' ? entry : { mode: FOLDER_MODE, group: 0 };
  // The group first: the kernel may take bits of the mode away with it.
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

function othersManifests(disk: Disk, { manifests }: Wanted): readonly string[] {
  return manifests.flatMap(({ path, content }) => {
    const isOurs = disk.record?.files.some((file) => file.path === path) ?? false;
    const there = isOurs ? undefined : fileOn(disk, path);
    return there === undefined || there.content.equals(Buffer.from(content)) ? [] : [path];
  });
}

/** Templates and manifests, which an operator may have edited, except pods of others in their place. */
function ownTexts({ pods, support, manifests }: Wanted, others: readonly string[]): readonly WantedFile[] {
  const templates = new Set(pods.map((pod) => podLayout(pod).template));
  const own = [...support.filter(({ path }) => templates.has(path)), ...manifests];
  return own.filter(({ path }) => !others.includes(path));
}

function editedFiles(disk: Disk, files: readonly WantedFile[]): readonly EditedFile[] {
  return files.flatMap((wanted) => {
    const { path } = wanted;
    const there = fileOn(disk, path);
    const recorded = disk.record?.files.find((file) => file.path === path)?.sha256;
    if (there === undefined || sha256(there.content) === recorded) return [];
    if (there.content.equals(Buffer.from(wanted.content))) return [];
    const isOutdated = recorded !== sha256(wanted.content);
    return [{ content: there.content.toString('utf8'), mode: there.mode, wanted, recorded, isOutdated }];
  });
}

function backupOf(disk: Disk, { wanted: { path }, content, mode }: EditedFile): WantedFile {
  return { path: savedName(disk, path), content, mode };
}

/** Where packages have theirs, every configuration that hawser did not render. */
function foreignConfigurations(disk: Disk, pods: readonly Pod[]) {
  const found: ForeignConfiguration[] = [];
  const problems: string[] = [];
  // On a node that hawser runs on already, the monitor keeps what it replaces.
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
        `Cannot keep "${path}" as "${aside}": another copy is there already; move one of the two away`,
      );
  }
  return { found, problems };
}

/** A pod that the kubelet restarts, with all its containers, since its manifest changes. */
export interface Restart {
  readonly manifest: string;
  readonly containers: readonly string[];
}

/** The pods whose manifests exist and change. A new pod is not restarted, but started. */
export function restarts(steps: readonly Step[], pods: readonly Pod[]): readonly Restart[] {
  const changed = new Set(
    steps.flatMap((step) => (step.kind === 'write' && step.before !== undefined ? step.file.path : [])),
  );
  return pods.flatMap((pod) => {
    const { manifest } = podLayout(pod);
    return changed.has(manifest) ? { manifest, containers: pod.daemons.map(containerOf) } : [];
  });
}
