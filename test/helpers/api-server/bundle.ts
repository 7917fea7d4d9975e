import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync, stop } from 'esbuild';

const folder = join(import.meta.dirname, '../../../node_modules/.cache/hawser');

/**
 * Writes the stand-in in one file and returns its path. Tests start hundreds of them, and to load one module after the other takes three times
 * the processor time. It is made in each process that starts some, so it is never older than its source, and replaced as a whole.
 */
export function bundleStandIn(): string {
  const { outputFiles } = buildSync({
    entryPoints: [join(import.meta.dirname, 'main.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    write: false,
  });
  // Else its service runs as long as this process.
  void stop();
  const path = join(folder, 'api-server.mjs');
  const whole = `${path}.${process.pid}`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(whole, outputFiles[0]?.contents ?? '');
  renameSync(whole, path);
  return path;
}
