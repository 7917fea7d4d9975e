import { type BigIntStats, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { watch } from 'chokidar';

/**
 * Calls `onChange` with a path whenever the file behind it is another one, has other bytes, came or went: written in
 * place, renamed over, or swapped by a symbolic link somewhere above it (a mounted ConfigMap swaps `..data`).
 * Every change after the call counts, so a caller that reads the files only then misses none.
 *
 * The directories are watched, not the files: a watch on a file ends with its inode. Every `recheckMs` the files are
 * compared as well, for file systems that report nothing.
 */
export function watchFiles(
  paths: readonly string[],
  onChange: (path: string) => void,
  options: { readonly recheckMs: number; readonly signal: AbortSignal },
): void {
  // Synchronously: on a busy machine a deferred read would miss a change before it.
  const signatures = new Map(paths.map((path) => [path, signatureNow(path)]));
  let looking: Promise<void> = Promise.resolve();
  const lookAll = (): void => {
    looking = looking.then(() => look(paths, signatures, onChange));
  };
  const watcher = watch([...new Set(paths.map((path) => dirname(path)))], {
    depth: 0,
    ignoreInitial: true,
    followSymlinks: false,
    ignorePermissionErrors: true,
  });
  watcher.on('all', lookAll);
  // A directory that cannot be watched is still polled.
  watcher.on('error', () => undefined);
  const timer = setInterval(lookAll, options.recheckMs);
  options.signal.addEventListener(
    'abort',
    () => {
      clearInterval(timer);
      void watcher.close();
    },
    { once: true },
  );
}

async function look(
  paths: readonly string[],
  signatures: Map<string, string>,
  report: (path: string) => void,
): Promise<void> {
  for (const path of paths) {
    const signature = await stat(path, { bigint: true }).then(signatureOf, () => MISSING);
    const before = signatures.get(path);
    signatures.set(path, signature);
    if (before !== signature) report(path);
  }
}

const MISSING = 'missing';

function signatureNow(path: string): string {
  try {
    return signatureOf(statSync(path, { bigint: true }));
  } catch {
    return MISSING;
  }
}

/** Links are followed, so a swapped link shows as another file. */
function signatureOf({ dev, ino, size, mtimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs].join('/');
}
