import { sleep } from '../time/sleep.ts';
import { readText } from './read-regular-file.ts';

/** Half a minute: a file that is removed and created again must be back before its container is. */
const LOOK_EVERY_MS = 3_000;
const LOOKS = 10;

/**
 * Resolves with the first of `paths` that is a mount of an unlinked file: the node has a new file, and this container sees the old one until it
 * restarts. Undefined once `signal` aborts. Never rejects.
 */
export async function untilReplaced(
  paths: readonly string[],
  signal: AbortSignal,
  { lookEveryMs = LOOK_EVERY_MS, looks = LOOKS } = {},
): Promise<string | undefined> {
  let inARow = 0;
  while (!signal.aborted) {
    const mounts = readText('/proc/self/mountinfo');
    const replaced = paths.find((path) => isReplaced(mounts, path));
    inARow = replaced === undefined ? 0 : inARow + 1;
    if (inARow >= looks) return replaced;
    await sleep(lookEveryMs, signal);
  }
  return undefined;
}

/** Fields 4 and 5 of a mount: its root in the file system, and its mount point. Source: proc(5), d_path(). */
export function isReplaced(mountinfo: string, path: string): boolean {
  const mounts = mountinfo.split('\n').map((line) => line.split(' '));
  const top = mounts.findLast(([, , , , point]) => point !== undefined && decoded(point) === path);
  return top?.[3]?.endsWith('//deleted') ?? false;
}

/** A blank is `\040`. */
function decoded(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
