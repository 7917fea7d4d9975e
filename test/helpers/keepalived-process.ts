import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFailed } from 'vitest';
import type { NetNamespace } from './net-namespace.ts';

export interface KeepalivedProcess {
  /** Everything it has said so far. */
  readonly log: () => string;
}

/** As its supervisor starts it: a machine that is busy must not look like a holder that is gone. */
export const REAL_TIME = ['chrt', '--rr', '20'] as const;

/**
 * Every pid file that keepalived opens for VRRP, as `at('pid')` and so on. That of its BFD process is one: keepalived 2.3 locks
 * it while it starts, in /run by default, and another one that starts at this moment ends with "daemon is already running".
 */
export function pidFileFlags(at: (name: string) => string): readonly string[] {
  return ['--pid', at('pid'), '--vrrp_pid', at('vrrp.pid'), '--bfd_pid', at('bfd.pid')];
}

/**
 * Starts keepalived on this configuration inside a namespace, whose removal ends it. Its files are `DIR/NAME.…`. Must be
 * called in a test, which prints the log if it fails.
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
