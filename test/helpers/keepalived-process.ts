import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NetNamespace } from './net-namespace.ts';

export interface KeepalivedProcess {
  /** Everything it has said so far. */
  readonly log: () => string;
}

/** As its supervisor starts it: a machine that is busy must not look like a holder that is gone. */
export const REAL_TIME = ['chrt', '--rr', '20'] as const;

/** Starts keepalived on this configuration inside a namespace, whose removal ends it. Its files are `DIR/NAME.…`. */
export function startKeepalived(
  namespace: NetNamespace,
  files: { readonly dir: string; readonly name: string; readonly text: string },
): KeepalivedProcess {
  const path = (extension: string) => join(files.dir, `${files.name}.${extension}`);
  writeFileSync(path('conf'), files.text);
  const [program, ...prefix] = namespace.prefix;
  const own = ['-f', path('conf'), '-p', path('pid'), '-r', path('vrrp.pid')];
  const argv = [...prefix, ...REAL_TIME, 'keepalived', '-n', '-P', '-l', '-D', ...own];
  const child = spawn(program, argv, { stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (log += String(data)));
  child.on('error', (error) => (log += String(error)));
  return { log: () => log };
}
