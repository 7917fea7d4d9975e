import { execFileSync } from 'node:child_process';
import { hawser } from './supervisor-build.ts';

/** What `--help` of the built program lists: its flags, and how many arguments it takes. Throws for an unknown command. */
export function helpOf(command: readonly string[]) {
  const argv = [...command, '--help'];
  const help = execFileSync(hawser, argv, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const usage = help.split('\n')[0] ?? '';
  return { flags: help.match(/--[a-z][a-z-]*/g) ?? [], positionals: usage.match(/[<[][A-Z]+[\]>]/g) ?? [] };
}
