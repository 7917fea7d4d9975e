import { sleep } from '../time/sleep.ts';
import { readText } from './read-regular-file.ts';

/** 30 s in total: a file that is removed and created again must be back before its container restarts. */
const POLL_EVERY_MS = 3_000;
const POLLS = 10;

/**
 * Resolves with the first of `paths` that is a mount of an unlinked file: the node has a new file, but this container sees the old one until it
 * restarts. Resolves with undefined once `signal` aborts. Never rejects.
 */
export async function untilReplaced(
  paths: readonly string[],
  signal: AbortSignal,
  { pollEveryMs = POLL_EVERY_MS, polls = POLLS } = {},
): Promise<string | undefined> {
  let inARow = 0;
  while (!signal.aborted) {
    const mounts = readText('/proc/self/mountinfo');
    const replaced = paths.find((path) => isReplaced(mounts, path));
    inARow = replaced === undefined ? 0 : inARow + 1;
    if (inARow >= polls) return replaced;
    await sleep(pollEveryMs, signal);
  }
  return undefined;
}

/**
 * Whether the mount at `path` shows an unlinked file. Fields 4 and 5 of a mount are its root in the file system and its mount point. Source: proc(5),
 * d_path().
 */
export function isReplaced(mountinfo: string, path: string): boolean {
  const mounts = mountinfo.split('\n').map((line) => line.split(' '));
  const top = mounts.findLast(([, , , , point]) => point !== undefined && decoded(point) === path);
  return top?.[3]?.endsWith('//deleted') ?? false;
}

/** Octal escapes: a blank is `\040`. */
function decoded(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
