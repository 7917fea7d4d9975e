import { isSameFile, type SetFile, sha256OfFile } from '../../engine/config/set.ts';
import { oncePer } from '../../engine/system/once-per.ts';
import { changedSpan } from '../../engine/system/same-list.ts';
import { type FileChange, isListLine, isMapWord } from './change.ts';
import type { Reason } from './plan.ts';

/** The kind of a file that can be updated at runtime. */
export type FileKind = 'map' | 'certificate-list' | 'certificate';

/**
 * Undefined for a file that HAProxy reads only at startup. `start` also marks such a file, but the main file contains all of it, so the running
 * HAProxy already has it.
 */
export type KindOf = (name: string) => FileKind | 'start' | undefined;

type FilePlan =
  | { readonly kind: 'reload'; readonly reason: Reason }
  | { readonly kind: 'changes'; readonly changes: readonly FileChange[] };

/** If more lines of a map changed, a reload is needed, because each line is a command. */
const MOST_LINES = 64;

/**
 * The changes from one set's files to another's. Additions come first, so that no list names an unknown certificate and no lookup lacks an entry. Of
 * thousands of files, only those between the first and the last difference are compared.
 */
export function planFiles(before: readonly SetFile[], after: readonly SetFile[], kindOf: KindOf): FilePlan {
  const { start, end } = changedSpan(before, after);
  const previous = new Map(before.slice(start, before.length - end).map((file) => [file.name, file]));
  const additions: FileChange[] = [];
  const removals: FileChange[] = [];
  for (const file of after.slice(start, after.length - end)) {
    const old = previous.get(file.name);
    previous.delete(file.name);
    const kind = kindOf(file.name);
    if (kind === 'start' || isSameFile(old, file)) continue;
    const fileChanges = changesOf(file, old, kind);
    if (fileChanges === undefined) return reloadFor(`"${file.name}" differs`);
    for (const change of fileChanges) (isRemoval(change) ? removals : additions).push(change);
  }
  for (const { name } of previous.values()) {
    if (kindOf(name) !== 'certificate') return reloadFor(`"${name}" is gone`);
    removals.push({ kind: 'certificate', certificate: name, sha256: null });
  }
  const order = (changes: readonly FileChange[], kinds: readonly FileChange['kind'][]) =>
    kinds.flatMap((kind) => changes.filter((change) => change.kind === kind));
  return {
    kind: 'changes',
    changes: [
      ...inOrderOfLists(order(additions, ['certificate']), after, kindOf),
      ...order(additions, ['list-line', 'map-line']),
      ...order(removals, ['map-line', 'list-line', 'certificate']),
    ],
  };
}

interface Renewals {
  readonly changes: readonly FileChange[];
  /** The previous files, with renewed certificates applied. */
  readonly files: readonly SetFile[];
}

/**
 * The renewals that need not wait for the rest of a set. A certificate waits if its line in a list changes too: with the default certificate's names,
 * HTTP/2 is no longer offered. It also waits while its content is served under another name: browsers would reuse connections across both.
 */
export function planRenewals(
  before: readonly SetFile[],
  after: readonly SetFile[],
  kindOf: KindOf,
): Renewals {
  const none = { changes: [], files: before };
  const { start, end } = changedSpan(before, after);
  const previous = new Map(before.slice(start, before.length - end).map((file) => [file.name, file]));
  const renewed = after.slice(start, after.length - end).filter((file) => {
    const old = previous.get(file.name);
    return kindOf(file.name) === 'certificate' && old !== undefined && !isSameFile(old, file);
  });
  if (renewed.length === 0) return none;
  const [old, now] = [before, after].map((files) =>
    files.filter(({ name }) => kindOf(name) === 'certificate-list').map(linesOfList),
  );
  const isRelisted = ({ name }: SetFile): boolean =>
    old?.some((lines, index) => lines.get(name) !== now?.[index]?.get(name)) ?? false;
  const inUse = new Set(before.filter(({ name }) => kindOf(name) === 'certificate').map(sha256OfFile));
  const ready = new Map(
    renewed
      .filter((file) => !isRelisted(file) && !inUse.has(sha256OfFile(file)))
      .map((file) => [file.name, file]),
  );
  const files = before.map((file) => ready.get(file.name) ?? file);
  const changes = inOrderOfLists([...ready.values()].map(certificateChange), files, kindOf);
  // Certificates that share a host with a renewed one are renewed after it, with their new content.
  const desired = new Map(after.map((file) => [file.name, file]));
  const isDesired = (change: FileChange): boolean => {
    const file = change.kind === 'certificate' ? desired.get(change.certificate) : undefined;
    return file !== undefined && 'sha256' in change && sha256OfFile(file) === change.sha256;
  };
  return changes.every(isDesired) ? { changes, files } : none;
}

function inOrderOfLists(
  changes: readonly FileChange[],
  files: readonly SetFile[],
  kindOf: KindOf,
): readonly FileChange[] {
  if (changes.length === 0) return changes;
  const names = new Set(changes.map((change) => (change.kind === 'certificate' ? change.certificate : '')));
  const lists = files.filter(({ name }) => kindOf(name) === 'certificate-list');
  const ordered = certificatesToRenew(names, lists.map(linesOfList));
  const desired = new Set(ordered);
  const renewable = new Map(files.filter(({ name }) => desired.has(name)).map((file) => [file.name, file]));
  return ordered.flatMap((name) => {
    const file = renewable.get(name);
    return file === undefined ? [] : [certificateChange(file)];
  });
}

/** Cached, so that a list of thousands is not parsed again when only certificates are renewed. */
const linesOfList = oncePer(({ content }: SetFile) => linesIn(content));

function certificateChange(file: SetFile): FileChange {
  return { kind: 'certificate', certificate: file.name, sha256: sha256OfFile(file) };
}

/**
 * The certificates to renew after these were renewed or their lines added, in order. HAProxy moves a renewed certificate behind the others of its
 * hosts, and serves one of those. So they are renewed after it with unchanged content, in the order of their list, which is the order after a start.
 */
function certificatesToRenew(moving: ReadonlySet<string>, lists: readonly Lines[]): readonly string[] {
  const ordered = new Set<string>();
  for (const lines of lists) {
    const moved = new Set<string>();
    for (const [certificate, line] of lines) {
      const isMoving = moving.has(certificate);
      if (!isMoving && moved.size === 0) continue;
      const hosts = hostsIn(line);
      if (!isMoving && !hosts.some((host) => moved.has(host))) continue;
      ordered.add(certificate);
      for (const host of hosts) moved.add(host);
    }
  }
  return [...[...moving].filter((name) => !ordered.has(name)), ...ordered];
}

function reloadFor(reason: string): FilePlan {
  return { kind: 'reload', reason: { what: 'files-changed', reason } };
}

function isRemoval(change: FileChange): boolean {
  switch (change.kind) {
    case 'map-line':
      return change.value === null;
    case 'certificate':
      return change.sha256 === null;
    case 'list-line':
      return change.line === null;
  }
}

/** Undefined if a reload is needed. */
function changesOf(
  file: SetFile,
  old: SetFile | undefined,
  kind: FileKind | undefined,
): readonly FileChange[] | undefined {
  if (kind === 'certificate') return [certificateChange(file)];
  // HAProxy can only update maps and lists that it read at startup.
  if (kind === undefined || old === undefined) return undefined;
  return kind === 'map' ? mapChanges(linesIn(old.content), file) : listChanges(old, file);
}

export type Lines = ReadonlyMap<string, string>;

/** Undefined if there are too many lines, or a line fits no command. */
function mapChanges(before: Lines, { name: map, content }: SetFile): readonly FileChange[] | undefined {
  const after = linesIn(content);
  const lines: (readonly [string, string | null])[] = [...after].filter(
    ([key, value]) => before.get(key) !== value,
  );
  for (const [key] of before) if (!after.has(key)) lines.push([key, null]);
  const fitsCommand = ([key, value]: readonly [string, string | null]): boolean =>
    isMapWord(key) && (value === null || isMapWord(value));
  if (lines.length > MOST_LINES || !lines.every(fitsCommand)) return undefined;
  return lines.map(([key, value]) => ({ kind: 'map-line', map, key, value }));
}

/** Undefined if the order of lines matters: an added line comes last, but after a reload it has its place in the file. */
function listChanges(old: SetFile, { name: list, content }: SetFile): readonly FileChange[] | undefined {
  const before = linesIn(old.content);
  const after = linesIn(content);
  const uses = new Map<string, number>();
  for (const line of after.values())
    for (const host of hostsIn(line)) uses.set(host, (uses.get(host) ?? 0) + 1);
  const changes = lineChanges(list, before, after);
  const fitsCommand = ({ line }: { readonly line: string | null }): boolean =>
    line === null || (isListLine(line) && hostsIn(line).every((host) => uses.get(host) === 1));
  return changes.every(fitsCommand) ? changes : undefined;
}

function lineChanges(
  list: string,
  before: Lines,
  after: Lines,
): readonly Extract<FileChange, { kind: 'list-line' }>[] {
  const kind = 'list-line';
  return [
    ...[...after]
      .filter(([certificate, line]) => before.get(certificate) !== line)
      .map(([certificate, line]) => ({ kind, list, certificate, line }) as const),
    ...[...before.keys()]
      .filter((certificate) => !after.has(certificate))
      .map((certificate) => ({ kind, list, certificate, line: null }) as const),
  ];
}

function hostsIn(line: string): readonly string[] {
  return line.replace(/^\[[^\]]*\] /, '').split(' ');
}

/** The rest of each line, keyed by its first word. */
export function linesIn(content: string | Buffer): Lines {
  const lines = new Map<string, string>();
  for (const line of content.toString().split('\n')) {
    const at = line.indexOf(' ');
    if (line !== '') lines.set(at === -1 ? line : line.slice(0, at), at === -1 ? '' : line.slice(at + 1));
  }
  return lines;
}
