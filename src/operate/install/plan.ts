import { lstat, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf, messageOf } from '../../engine/system/errors.ts';

export interface WantedFile {
  /** On the node, below its root directory. */
  readonly path: string;
  readonly content: string;
  readonly mode: number;
  /** Where the file is written before it is moved into place: other programs read every file of its folder. */
  readonly stageIn?: string;
}

/** Properties that are not given stay as they are in an existing folder. */
export interface WantedFolder {
  readonly path: string;
  readonly mode?: number;
  /** Numeric. */
  readonly group?: number;
}

interface FileState {
  readonly content: Buffer;
  readonly mode: number;
}

/** One change; `before` is what undoes it. Paths are below the root directory. */
export type Step =
  | { readonly kind: 'make-directory'; readonly path: string }
  | { readonly kind: 'change-mode'; readonly path: string; readonly mode: number; readonly before: number }
  | { readonly kind: 'change-group'; readonly path: string; readonly group: number; readonly before: number }
  | { readonly kind: 'move'; readonly path: string; readonly to: string }
  | { readonly kind: 'write'; readonly file: WantedFile; readonly before: FileState | undefined };

export interface Plan {
  readonly steps: readonly Step[];
  /** Obstacles, such as a file where a folder belongs. */
  readonly problems: readonly string[];
}

const FOLDER_MODE = 0o755;

/**
 * The steps that are missing for these folders and files, in their order; none if all are there. Folders that are only
 * on the way get mode 0755 when they are made.
 */
export async function planFiles(
  root: string,
  wanted: readonly WantedFile[],
  folders: readonly WantedFolder[] = [],
): Promise<Plan> {
  const steps: Step[] = [];
  const problems: string[] = [];
  const planFolder = async (path: string): Promise<void> => {
    const missing = await missingFolders(root, path).catch(messageOf);
    if (typeof missing === 'string') problems.push(missing);
    else
      for (const each of missing)
        if (!steps.some((step) => step.kind === 'make-directory' && step.path === each))
          steps.push({ kind: 'make-directory', path: each });
  };
  for (const folder of folders) {
    await planFolder(folder.path);
    steps.push(...(await folderSteps(root, folder)));
  }
  for (const file of wanted) {
    await planFolder(dirname(file.path));
    const before = await fileState(join(root, file.path)).catch(messageOf);
    if (typeof before === 'string') problems.push(before);
    else steps.push(...stepsFor(file, before));
  }
  return { steps, problems: [...new Set(problems)] };
}

function stepsFor(file: WantedFile, before: FileState | undefined): readonly Step[] {
  const { path, mode } = file;
  if (before === undefined || !before.content.equals(Buffer.from(file.content)))
    return [{ kind: 'write', file, before }];
  return before.mode === mode ? [] : [{ kind: 'change-mode', path, mode, before: before.mode }];
}

/** Also for an existing folder: the pods depend on its mode and group. */
async function folderSteps(root: string, { path, mode, group }: WantedFolder): Promise<readonly Step[]> {
  const status = await stat(join(root, path)).catch(() => undefined);
  const before = { mode: (status?.mode ?? FOLDER_MODE) & 0o7777, group: status?.gid ?? 0 };
  const steps: Step[] = [];
  // The group first: the kernel may take bits of the mode away with it.
  if (group !== undefined && group !== before.group)
    steps.push({ kind: 'change-group', path, group, before: before.group });
  if (mode !== undefined && mode !== before.mode)
    steps.push({ kind: 'change-mode', path, mode, before: before.mode });
  return steps;
}

/** Undefined where there is no such file. Throws if there is one that cannot be read, or something other than a file. */
export async function fileState(path: string): Promise<FileState | undefined> {
  try {
    const status = await lstat(path);
    if (!status.isFile())
      throw new Error(`Cannot replace "${path}": it is not a regular file, expected one or none`);
    return { content: await readFile(path), mode: status.mode & 0o7777 };
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

async function missingFolders(root: string, path: string): Promise<readonly string[]> {
  if (path === '/' || path === '.') return [];
  const above = await missingFolders(root, dirname(path));
  const status = await stat(join(root, path)).catch(() => undefined);
  if (status === undefined) return [...above, path];
  if (status.isDirectory()) return above;
  throw new Error(`Cannot use "${join(root, path)}" as a folder: it is a file, expected a folder or nothing`);
}
