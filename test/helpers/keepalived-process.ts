import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFailed } from 'vitest';
import type { NetNamespace } from './net-namespace.ts';

export interface KeepalivedProcess {
  /** Its output so far. */
  readonly log: () => string;
}

/** As its supervisor starts it: a busy machine must not look like a dead holder. */
export const REAL_TIME = ['chrt', '--rr', '20'] as const;

/**
 * Flags for every pid file that keepalived opens for VRRP, as `at('pid')` and so on. That of its BFD process is among them:
 * keepalived 2.3 locks it on start, in /run by default, and another one that starts at that moment exits with "daemon is already running".
 */
export function pidFileFlags(at: (name: string) => string): readonly string[] {
  return ['--pid', at('pid'), '--vrrp_pid', at('vrrp.pid'), '--bfd_pid', at('bfd.pid')];
}

/**
 * Starts keepalived with this configuration inside a namespace; it ends with the namespace. Its files are `DIR/NAME.…`.
 * Must be called in a test, and prints the log if that fails.
 */
export function startKeepalived(
  namespace: NetNamespace,
  files: { readonly dir: string; readonly name: string; readonly text: string },
): KeepalivedProcess {
  const path = (extension: string) => join(files.dir, `${files.name}.${extension}`);
  writeFileSync(path('conf'), files.text);
  const [program, ...prefix] = namespace.prefix;
  const own = ['--use-file', path('conf'), ...pidFileFlags(path)];
  const argv = [...prefix, ...REAL_TIME, 'keepalived', '-n', '-P', '-l', '-D', ...own];
  const child = spawn(program, argv, { stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (log += String(data)));
  child.on('error', (error) => (log += String(error)));
  onTestFailed(() => console.log(`${files.name}: ${argv.join(' ')}\n${log}`));
  return { log: () => log };
}
