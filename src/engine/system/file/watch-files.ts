import { type BigIntStats, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { watch } from 'chokidar';

/**
 * Calls `onChange` with a path whenever the file behind it appears, disappears, gets other bytes or becomes another file: written in place,
 * replaced by a rename, or swapped by a symbolic link above it (a mounted ConfigMap swaps `..data`). No change after the call is missed, so
 * the caller can read the files afterwards.
 *
 * The directories are watched, because a watch on a file ends with its inode. In addition the files are compared every `recheckMs`, for file
 * systems that report nothing.
 */
export function watchFiles(
  paths: readonly string[],
  onChange: (path: string) => void,
  options: { readonly recheckMs: number; readonly signal: AbortSignal },
): void {
  // Synchronous: on a busy machine a deferred read would miss an early change.
  const signatures = new Map(paths.map((path) => [path, signatureNow(path)]));
  let comparing: Promise<void> = Promise.resolve();
  const compareAll = (): void => {
    comparing = comparing.then(() => compare(paths, signatures, onChange));
  };
  const watcher = watch([...new Set(paths.map((path) => dirname(path)))], {
    depth: 0,
    ignoreInitial: true,
    followSymlinks: false,
    ignorePermissionErrors: true,
  });
  watcher.on('all', compareAll);
  // A directory that cannot be watched is still polled.
  watcher.on('error', () => undefined);
  const timer = setInterval(compareAll, options.recheckMs);
  options.signal.addEventListener(
    'abort',
    () => {
      clearInterval(timer);
      void watcher.close();
    },
    { once: true },
  );
}

async function compare(
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

/** The stats follow links, so a swapped link appears as another file. */
function signatureOf({ dev, ino, size, mtimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs].join('/');
}
