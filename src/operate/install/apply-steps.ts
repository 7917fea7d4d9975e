import { chmod, chown, link, mkdir, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, messageOf } from '../../engine/system/errors.ts';
import { writeFileAtomically } from '../../engine/system/file/atomic-write.ts';
import type { Step } from './diff.ts';

type StepsOutcome =
  | { readonly kind: 'done' }
  | {
      readonly kind: 'undone';
      readonly message: string;
      /** Steps that were done before the failure and undone after it. */
      readonly undone: readonly string[];
      /** Steps that could not be undone, with the reason. */
      readonly left: readonly string[];
    };

/**
 * Applies all steps in order, or none: after a failure, the applied steps are undone, newest first. Every file
 * is written atomically, with its mode.
 */
export async function applySteps(root: string, steps: readonly Step[]): Promise<StepsOutcome> {
  const done: Step[] = [];
  for (const step of steps) {
    try {
      await apply(root, step);
      done.unshift(step);
    } catch (error) {
      const undone: string[] = [];
      const left: string[] = [];
      for (const each of done) {
        await undo(root, each).then(
          () => undone.push(pathOf(each)),
          (reason) => left.push(`${pathOf(each)}: ${messageOf(reason)}`),
        );
      }
      return {
        kind: 'undone',
        message: `Cannot write "${pathOf(step)}": ${messageOf(error)}, ${expectedFor(error)}`,
        undone: [...new Set(undone)],
        left,
      };
    }
  }
  return { kind: 'done' };
}

/** For chown(2), (uid_t) -1. */
const KEEP_OWNER = 0xff_ff_ff_ff;

/** rename(2) works only within one mount. */
function expectedFor(error: unknown): string {
  return codeOf(error) === 'EXDEV'
    ? 'expected its folder and the one above it on one mount'
    : 'expected a writable disk';
}

export function pathOf(step: Step): string {
  return step.kind === 'write' ? step.file.path : step.path;
}

async function apply(root: string, step: Step): Promise<void> {
  const path = join(root, pathOf(step));
  switch (step.kind) {
    case 'make-directory':
      await mkdir(path);
      // Sets the mode independently of the umask.
      return await chmod(path, 0o755);
    case 'change-mode':
      return await chmod(path, step.mode);
    case 'change-group':
      return await chown(path, KEEP_OWNER, step.group);
    case 'move':
      return await moveFile(path, join(root, step.to));
    case 'write':
      return await write(root, step.file.path, step.file.content, step.file);
  }
}

async function undo(root: string, step: Step): Promise<void> {
  const path = join(root, pathOf(step));
  switch (step.kind) {
    case 'make-directory':
      return await rmdir(path);
    case 'change-mode':
      return await chmod(path, step.before);
    case 'change-group':
      return await chown(path, KEEP_OWNER, step.before);
    case 'move':
      return await moveFile(join(root, step.to), path);
    case 'write':
      if (step.before === undefined) return await unlink(path);
      return await write(root, step.file.path, step.before.content, { ...step.file, mode: step.before.mode });
  }
}

async function write(
  root: string,
  path: string,
  content: string | Buffer,
  { mode, stageIn }: { readonly mode: number; readonly stageIn?: string },
): Promise<void> {
  const staging = stageIn === undefined ? {} : { stageIn: join(root, stageIn) };
  await writeFileAtomically(join(root, path), content, { mode, ...staging });
}

/**
 * Renames a file without overwriting another, unlike rename(2): throws EEXIST if the new name exists. A symbolic link stays a link.
 */
export async function moveFile(from: string, to: string): Promise<void> {
  await link(from, to);
  await unlink(from);
}
