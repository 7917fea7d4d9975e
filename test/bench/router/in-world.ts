import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createNetNamespace } from '../../helpers/net-namespace.ts';
import { ensureBuilt } from '../../helpers/supervisor-build.ts';
import { podAddresses } from './objects.ts';

/** Runs a program of this folder in its own network namespace, removes that with everything in it, and returns the printed JSON. */
export async function inWorld(name: string, words: readonly (number | string)[]): Promise<unknown> {
  ensureBuilt();
  await using namespace = await createNetNamespace();
  for (const address of podAddresses)
    await namespace.run('ip', 'address', 'add', `${address}/32`, 'dev', 'lo');
  const dir = mkdtempSync(join(tmpdir(), 'hawser-bench-live-'));
  try {
    const [file, ...before] = namespace.prefix;
    const args = [join(import.meta.dirname, name), ...words.map(String), dir];
    const world = spawn(file, [...before, process.execPath, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [told, [code]] = await Promise.all([text(world.stdout), once(world, 'exit')]);
    if (code !== 0) throw new Error(`Cannot measure a router (${args.join(' ')}): it ended with ${code}`);
    return JSON.parse(told);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
