import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hawser } from '../supervisor-build.ts';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const TIMEOUT_MS = 30_000;

/** What a shell makes of the script that `hawser completion` prints for it. */
export interface ShellScript extends Disposable {
  readonly path: string;
  /** The shell's own check of the script: what it complains of. */
  readonly complaints: () => string;
}

/** Why there is nothing to try in this shell; undefined where it is installed. */
export function missing(shell: string): string | undefined {
  return spawnSync(shell, ['-c', 'true']).status === 0 ? undefined : `${shell} is not installed`;
}

export function scriptFor(shell: 'bash' | 'zsh' | 'fish'): ShellScript {
  const dir = mkdtempSync(join(tmpdir(), 'hawser-completion-'));
  const path = join(dir, `hawser.${shell}`);
  writeFileSync(path, execFileSync(hawser, ['completion', shell]));
  return {
    path,
    complaints: () => {
      const { stdout, stderr } = spawnSync(shell, ['-n', path], { encoding: 'utf8' });
      return `${stdout}${stderr}`;
    },
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** What bash offers; like readline it takes `=` for a word of its own. */
export function offeredByBash({ path }: ShellScript, line: string): readonly string[] {
  const words = line.split(/(=)| /).filter((word) => word !== undefined);
  return linesOf('bash', ['--norc', here('complete.bash'), path, ...words]);
}

export function offeredByFish(script: ShellScript, line: string): readonly string[] {
  return shownByFish(script, line).map((each) => each.split('\t')[0] ?? '');
}

/** What fish offers, each with a tabulator and its help. */
export function shownByFish({ path }: ShellScript, line: string): readonly string[] {
  return linesOf('fish', ['--no-config', '-c', 'source $argv[1]; complete -C $argv[2]', path, line]);
}

/** What stands on an interactive zsh's line after the tabulator. */
export function completedByZsh({ path }: ShellScript, line: string): string {
  return `hawser ${linesOf('zsh', ['-f', here('complete.zsh'), path, line]).join('\n')}`;
}

function linesOf(file: string, args: readonly string[]): readonly string[] {
  const text = execFileSync(file, args, { encoding: 'utf8', timeout: TIMEOUT_MS });
  return text.split('\n').filter((each) => each !== '');
}
