import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { hawser } from '../../helpers/supervisor-build.ts';
import { fileFolder } from '../../helpers/test-folder.ts';

/** A command line, and its only completion. */
const unique: readonly (readonly [string, string])[] = [
  ['hawser doc', 'doctor'],
  ['hawser haproxy sta', 'status'],
  ['hawser show-config keep', 'keepalived'],
  ['hawser haproxy monitor --source end', 'endpoints'],
  ['hawser install --credentials o', 'own'],
  ['hawser timeline --unt', '--until'],
  ['hawser timeline --kind vip,spl', 'vip,split-brain'],
  ['hawser doctor --only vip-h', 'vip-holder'],
  ['hawser haproxy supervise --settin', '--settings'],
  ['hawser haproxy supervise --settings /etc/hostnam', '/etc/hostname'],
  ['hawser show-config /etc/hostnam', '/etc/hostname'],
  ['hawser timeline --utc --since 2h --unt', '--until'],
  ['hawser timeline --journal /usr/sha', '/usr/share'],
  ['hawser timeline --kind $(exit),spl', '$(exit),split-brain'],
];

const dir = fileFolder();
let script: string;
beforeAll(() => {
  script = join(dir, 'hawser.bash');
  writeFileSync(script, execFileSync(hawser, ['completion']));
});

/** Prints the completions of the last word, one per line. `compopt` works only within readline, so it is stubbed. */
const offers = `source "$1"; COMP_WORDS=("\${@:2}"); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); compopt() { :; }; _hawser
printf '%s\\n' "\${COMPREPLY[@]}"`;

/** Like readline, treats `=` as a separate word. */
function offered(line: string): readonly string[] {
  const words = line.split(/(=)| /).filter((word) => word !== undefined);
  const text = execFileSync('bash', ['--norc', '-c', offers, 'bash', script, ...words], { encoding: 'utf8' });
  return text.split('\n').filter((each) => each !== '');
}

test('the script is valid bash', () => {
  const { stdout, stderr } = spawnSync('bash', ['-n', script], { encoding: 'utf8' });
  expect(`${stdout}${stderr}`).toBe('');
});

test.each(unique)('%s', (line, only) => {
  expect(offered(line).map((each) => each.replace(/\/$/, ''))).toEqual([only]);
});

test('commands are offered, and then the words of a group', () => {
  expect(offered('hawser ')).toEqual(expect.arrayContaining(['haproxy', 'doctor', 'completion']));
  expect(offered('hawser haproxy ').toSorted()).toEqual(['monitor', 'reload', 'status', 'supervise']);
});

test('nothing is offered for a value only the user can know', () => {
  expect(offered('hawser doctor --api-vips ')).toEqual([]);
});

test('values after an equals sign are completed', () => {
  expect(offered('hawser haproxy monitor --source=n').join()).toMatch(/(^|=)nodes$/);
  expect(offered('hawser haproxy supervise --settings=/etc/hostnam').join()).toMatch(/(^|=)\/etc\/hostname$/);
});

test('bash completes on a terminal', () => {
  const typed = `PS1=; hawser() { echo "<$*>"; }; source ${script}\nhawser haproxy monitor --source end\t\nexit\n`;
  const { stdout } = spawnSync('script', ['-qec', 'bash --norc --noprofile', '/dev/null'], {
    input: typed,
    encoding: 'utf8',
    timeout: 30_000,
  });
  expect(stdout).toContain('<haproxy monitor --source endpoints>');
});
