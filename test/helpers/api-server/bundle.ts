import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync, stop } from 'esbuild';

const folder = join(import.meta.dirname, '../../../node_modules/.cache/hawser');

/**
 * Writes the stand-in as one file and returns its path. Tests start hundreds of them, and loading the modules one by one takes three times
 * the CPU time. Each process that starts some makes it, so it is never older than its source. It is replaced as a whole.
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
  // Otherwise esbuild's service runs as long as this process.
  void stop();
  const path = join(folder, 'api-server.mjs');
  const whole = `${path}.${process.pid}`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(whole, outputFiles[0]?.contents ?? '');
  renameSync(whole, path);
  return path;
}
