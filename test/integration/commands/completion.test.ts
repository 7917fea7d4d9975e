import { execFileSync, spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  completedByZsh,
  missing,
  offeredByBash,
  offeredByFish,
  type ShellScript,
  scriptFor,
  shownByFish,
} from '../../helpers/completion/shells.ts';
import { ensureBuilt, hawser } from '../../helpers/supervisor-build.ts';

beforeAll(ensureBuilt);

/** What is typed, and the only thing that it can become. */
const unique: readonly (readonly [string, string])[] = [
  ['hawser doc', 'doctor'],
  ['hawser haproxy sta', 'status'],
  ['hawser show-config keep', 'keepalived'],
  ['hawser haproxy monitor --source end', 'endpoints'],
  ['hawser install --credentials o', 'own'],
  ['hawser timeline --unt', '--until'],
  ['hawser timeline --kind vip,spl', 'vip,split-brain'],
  ['hawser doctor --only vip-h', 'vip-holder'],
  ['hawser completion f', 'fish'],
  ['hawser haproxy supervise --settin', '--settings'],
  ['hawser haproxy supervise --settings /etc/hostnam', '/etc/hostname'],
  ['hawser show-config /etc/hostnam', '/etc/hostname'],
  ['hawser timeline --utc --since 2h --unt', '--until'],
  ['hawser timeline --journal /usr/sha', '/usr/share'],
  ['hawser timeline --kind $(exit),spl', '$(exit),split-brain'],
];

const shells = [
  { shell: 'bash', offered: offeredByBash },
  { shell: 'fish', offered: offeredByFish },
] as const;

for (const { shell, offered } of shells) {
  const why = missing(shell);
  if (why !== undefined) console.log(`skipped: completion in ${shell}, ${why}`);
  describe.skipIf(why !== undefined)(shell, () => {
    let script: ShellScript;
    beforeAll(() => {
      script = scriptFor(shell);
      return () => script[Symbol.dispose]();
    });

    test('has nothing to say against the script', () => {
      expect(script.complaints()).toBe('');
    });

    test.each(unique)('%s', (line, only) => {
      expect(offered(script, line).map((each) => each.replace(/\/$/, ''))).toEqual([only]);
    });

    test('offers commands, and then the words of a group', () => {
      expect(offered(script, 'hawser ')).toEqual(expect.arrayContaining(['haproxy', 'doctor', 'completion']));
      expect(offered(script, 'hawser haproxy ').toSorted()).toEqual([
        ...['monitor', 'reload', 'status', 'supervise'],
      ]);
    });

    test('offers nothing where only its user can know the value', () => {
      expect(offered(script, 'hawser doctor --api-vips ')).toEqual([]);
    });

    test('offers what is behind an equals sign', () => {
      expect(offered(script, 'hawser haproxy monitor --source=n').join()).toMatch(/(^|=)nodes$/);
      const files = offered(script, 'hawser haproxy supervise --settings=/etc/hostnam');
      expect(files.join()).toMatch(/(^|=)\/etc\/hostname$/);
    });
  });
}

test.skipIf(missing('fish') !== undefined)('fish shows the help of what it offers', () => {
  using script = scriptFor('fish');
  expect(shownByFish(script, 'hawser undr')).toEqual([
    'undrain\tLets this node hold VIPs again. Moves nothing.',
  ]);
  const [flag] = shownByFish(script, 'hawser haproxy supervise --drain-t');
  expect(flag).toMatch(/^--drain-timeout\thow long connections may last after SIGTERM/);
});

const noZsh = missing('zsh');
if (noZsh !== undefined) console.log(`skipped: completion in zsh, ${noZsh}`);
describe.skipIf(noZsh !== undefined)('zsh', () => {
  let script: ShellScript;
  beforeAll(() => {
    script = scriptFor('zsh');
    return () => script[Symbol.dispose]();
  });

  test('has nothing to say against the script', () => {
    expect(script.complaints()).toBe('');
  });

  test.each([
    ...unique,
    ['hawser haproxy monitor --source=end', '--source=endpoints'] as const,
    ['hawser haproxy supervise --settings=/etc/hostnam', '--settings=/etc/hostname'] as const,
  ])('%s', (line, only) => {
    const before = line.slice(0, line.lastIndexOf(' ') + 1);
    expect(completedByZsh(script, line).trimEnd()).toBe(`${before}${only}`);
  });
});

test('bash completes on a terminal', () => {
  using script = scriptFor('bash');
  const typed = `PS1=; hawser() { echo "<$*>"; }; source ${script.path}\nhawser haproxy monitor --source end\t\nexit\n`;
  const { stdout } = spawnSync('script', ['-qec', 'bash --norc --noprofile', '/dev/null'], {
    input: typed,
    encoding: 'utf8',
    timeout: 30_000,
  });
  expect(stdout).toContain('<haproxy monitor --source endpoints>');
});

test('another shell is a mistake that names the three', () => {
  const { status, stderr, stdout } = spawnSync(hawser, ['completion', 'ksh'], { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain('expected bash, zsh or fish');
});

test('every command that there is has a page of help with examples, in 80 columns', () => {
  const names = execFileSync(hawser, ['--help'], { encoding: 'utf8' })
    .split('\n')
    .flatMap((line) => /^ {2}(\S+(?: \S+)?) {2,}\S/.exec(line)?.[1] ?? []);
  expect(names).toEqual(expect.arrayContaining(['haproxy supervise', 'show-config keepalived']));
  for (const name of names) {
    const help = execFileSync(hawser, [...name.split(' '), '--help'], { encoding: 'utf8' });
    expect(help).toMatch(new RegExp(`^Usage: hawser ${name} \\[options\\]`));
    expect(help, name).toContain(`Examples:\n  hawser ${name}`);
    // The name of a variable is not broken, however long openshift-router has made it.
    expect(help.split('\n').filter((line) => line.length > 80 && /\S\s+\S/.test(line))).toEqual([]);
  }
});
