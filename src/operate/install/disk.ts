import { constants, type Stats } from 'node:fs';
import { access, lstat, readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Pod } from '../../cli/pod.ts';
import { codeOf, messageOf } from '../../engine/system/errors.ts';
import { isManifest, layout, podLayout } from './layout.ts';
import { type InstallRecord, parseRecord, recordProblem } from './record.ts';

/** The entry at a path of the node. */
export type Entry =
  /** `isLink`: a symbolic link; the content and mode are those of its target. */
  | { readonly kind: 'file'; readonly content: Buffer; readonly mode: number; readonly isLink: boolean }
  | {
      readonly kind: 'folder';
      readonly mode: number;
      readonly group: number;
      /** The names in the folder, sorted. */
      readonly names: readonly string[];
      /** The error code if the folder is not writable. */
      readonly blocked: string | undefined;
    }
  /** Neither a file nor a folder, or a file that cannot be read. */
  | { readonly kind: 'unreadable'; readonly message: string };

/** The state of the node's disk before the command, for every path that an install or an uninstall depends on. */
export interface Disk {
  /** The entry at a path; undefined if nothing exists there. Throws for an existing path that was not read. */
  readonly at: (path: string) => Entry | undefined;
  /** The record of the earlier install; undefined if it is missing or invalid. */
  readonly record: InstallRecord | undefined;
}

/** Far larger than any manifest. */
const MAX_BYTES = 1_000_000;

/** Reads the disk once. Never rejects: a path that cannot be read is an `unreadable` entry. */
export async function readDisk(root: string, pods: readonly Pod[]): Promise<Disk> {
  const { read, at } = diskReader(root);
  await read(Object.values(layout));
  const record = parseRecord(textOn({ at }, layout.record) ?? '');
  await read([...(record?.files ?? []).map(({ path }) => path), ...(record?.directories ?? [])]);
  await read(pods.flatMap(pathsOf));
  await read(namesIn({ at }, layout.manifests).map((name) => `${layout.manifests}/${name}`));
  return { record, at };
}

/** Returns `read`, which reads paths below `root` and their parent folders once, and `at`, which returns what was read. */
export function diskReader(root: string) {
  const entries = new Map<string, Entry | undefined>();
  const read = async (paths: readonly string[]): Promise<void> => {
    for (const path of paths) {
      if (entries.has(path)) continue;
      if (path !== '/') await read([dirname(path)]);
      entries.set(path, await entryAt(join(root, path)));
    }
  };
  const at: Disk['at'] = (path) => {
    const above = entries.get(dirname(path));
    const isNamed = above?.kind === 'folder' && above.names.includes(basename(path));
    if (!entries.has(path) && isNamed) throw new Error(`"${path}" was not read`);
    return entries.get(path);
  };
  return { read, at };
}

/** The disk for `--print`, which applies to any node. */
export const emptyDisk: Disk = { at: () => undefined, record: undefined };

/** The problems with files of an earlier install that exist but cannot be used. */
export function diskProblems(disk: Disk): readonly string[] {
  const unreadable = [layout.record, layout.settings, layout.clusterAuthority].flatMap((path) => {
    const entry = disk.at(path);
    if (entry === undefined || fileOn(disk, path) !== undefined) return [];
    return [cannotReplace(path, entry)];
  });
  const text = fileOn(disk, layout.record)?.content.toString('utf8');
  if (text === undefined || disk.record !== undefined) return unreadable;
  const problem = recordProblem(layout.record, text);
  return [...unreadable, `${problem}, or move the file away to start from scratch`];
}

/** The problem with an entry in the place of a file that is not a regular file. */
export function cannotReplace(path: string, entry: Entry): string {
  const what = entry.kind === 'unreadable' ? entry.message : 'it is not a regular file';
  return `Cannot replace "${path}": ${what}, expected a regular file or none`;
}

/** The path of the systemd unit's link if the package's service starts at boot. */
export function serviceOf({ program }: Pick<Pod, 'program'>): string {
  return `/etc/systemd/system/multi-user.target.wants/${program}.service`;
}

function pathsOf(pod: Pod): readonly string[] {
  const { manifest, template, configuration, packaged, aside } = podLayout(pod);
  return [manifest, template, configuration, `${configuration}.last-good`, packaged, aside, serviceOf(pod)];
}

async function entryAt(path: string): Promise<Entry | undefined> {
  try {
    const status = await lstat(path);
    const isLink = status.isSymbolicLink();
    const target = isLink ? await stat(path) : status;
    if (target.isDirectory()) return await folderAt(path, target);
    if (!target.isFile()) return { kind: 'unreadable', message: 'it is not a regular file' };
    if (target.size > MAX_BYTES)
      return { kind: 'unreadable', message: `it is larger than ${MAX_BYTES} bytes` };
    return { kind: 'file', content: await readFile(path), mode: target.mode & 0o7777, isLink };
  } catch (error) {
    const isMissing = codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';
    const isDangling = isMissing && (await lstat(path).catch(() => undefined)) !== undefined;
    return isMissing && !isDangling ? undefined : { kind: 'unreadable', message: messageOf(error) };
  }
}

async function folderAt(path: string, { mode, gid: group }: Stats): Promise<Entry> {
  const blocked = await access(path, constants.W_OK).then(
    () => undefined,
    (error) => codeOf(error) ?? 'unknown',
  );
  const names = (await readdir(path).catch(() => [])).toSorted();
  return { kind: 'folder', mode: mode & 0o7777, group, names, blocked };
}

/** The content of a file; undefined if it cannot be read. */
export function textOn(disk: Pick<Disk, 'at'>, path: string): string | undefined {
  const entry = disk.at(path);
  return entry?.kind === 'file' ? entry.content.toString('utf8') : undefined;
}

/** The regular file at a path; undefined for a symbolic link and anything else. */
export function fileOn(disk: Disk, path: string): Extract<Entry, { kind: 'file' }> | undefined {
  const entry = disk.at(path);
  return entry?.kind === 'file' && !entry.isLink ? entry : undefined;
}

export function namesIn(disk: Pick<Disk, 'at'>, folder: string): readonly string[] {
  const entry = disk.at(folder);
  return entry?.kind === 'folder' ? entry.names : [];
}

/**
 * `PATH.saved`, or the first of `PATH.saved.2`, `PATH.saved.3` … that does not exist. The copy of a manifest is outside the manifests
 * folder, where the kubelet would run it as another pod.
 */
export function savedName(disk: Disk, path: string): string {
  const folder = isManifest(path) ? layout.kubernetes : dirname(path);
  const names = namesIn(disk, folder);
  const saved = `${basename(path)}.saved`;
  let name = saved;
  for (let count = 2; names.includes(name); count += 1) name = `${saved}.${count}`;
  return `${folder}/${name}`;
}
