import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { watch } from 'chokidar';

/**
 * Calls `onChange` with a path whenever the file behind it is another one, has other bytes, came or went: written in
 * place, renamed over, or swapped by a symbolic link somewhere above it (a mounted ConfigMap swaps `..data`).
 *
 * The directories are watched, not the files: a watch on a file ends with its inode. Every `lookAgainMs` the files are
 * compared as well, for file systems that report nothing.
 */
export function watchFiles(
  paths: readonly string[],
  onChange: (path: string) => void,
  options: { readonly lookAgainMs: number; readonly signal: AbortSignal },
): void {
  const signatures = new Map<string, string>();
  let looking: Promise<void> = Promise.resolve();
  const lookAll = (report: boolean): void => {
    looking = looking.then(() => look(paths, signatures, report ? onChange : () => undefined));
  };
  lookAll(false);
  const watcher = watch([...new Set(paths.map((path) => dirname(path)))], {
    depth: 0,
    ignoreInitial: true,
    followSymlinks: false,
    ignorePermissionErrors: true,
  });
  watcher.on('all', () => lookAll(true));
  // A directory that cannot be watched is still looked at.
  watcher.on('error', () => undefined);
  const timer = setInterval(() => lookAll(true), options.lookAgainMs);
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
    const signature = await signatureOf(path);
    const before = signatures.get(path);
    signatures.set(path, signature);
    if (before !== undefined && before !== signature) report(path);
  }
}

/** Follows links, so that a swapped one shows as another file. */
async function signatureOf(path: string): Promise<string> {
  return await stat(path, { bigint: true }).then(
    ({ dev, ino, size, mtimeNs }) => [dev, ino, size, mtimeNs].join('/'),
    () => 'missing',
  );
}
