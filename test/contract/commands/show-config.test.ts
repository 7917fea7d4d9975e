import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { hawserHere } from '../../helpers/hawser-here.ts';
import { hawser } from '../../helpers/supervisor-build.ts';
import { testFolder } from '../../helpers/test-folder.ts';

let directory: string;
const at = (name: string) => join(directory, name);

beforeEach(() => {
  directory = testFolder();
});
const run = (...flags: readonly string[]) => {
  const files = [at('kubeconfig'), at('template'), at('haproxy.cfg')];
  return hawserHere('show-config', [...files, '--api-port', '1', ...flags]);
};
const twoServers = ['--source', 'static', '--servers', 'b=10.0.0.2:6443,a=10.0.0.1:6443'];

test('show-config prints what a template can use', async () => {
  const result = await run(...twoServers);
  expect(result.exitCode).toBe(0);
  expect(JSON.parse(result.stdout)).toMatchObject({
    ports: { lbPort: 9445 },
    servers: [{ name: 'a', endpoint: '10.0.0.1:6443' }, { name: 'b' }],
  });
});

test('a static source without servers is a usage error that says so', async () => {
  const result = await run('--source', 'static');
  expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--servers') });
});

test('an unknown command, no command, and --help', async () => {
  const bare = (...argv: readonly string[]) => runCommand([hawser, ...argv], { timeoutMs: 30_000 });
  expect(await bare('haproxy', 'fly')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('"haproxy fly"'),
  });
  expect(await bare()).toMatchObject({ exitCode: 2, stdout: expect.stringContaining('haproxy monitor') });
  expect(await bare('--help')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('haproxy monitor'),
  });
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  expect(await bare('--version')).toMatchObject({ exitCode: 0, stdout: `hawser ${version}\n` });
  expect(await bare('-v')).toMatchObject({ exitCode: 0, stdout: `hawser ${version}\n` });
  for (const help of [
    ['show-config', 'keepalived', '--help'],
    ['help', 'show-config', 'keepalived'],
  ])
    expect(await bare(...help)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^Usage: hawser show-config keepalived /),
    });
  expect(await bare('help', 'haproxy')).toEqual(await bare('haproxy', '--help'));
  expect(await bare('show-config', '--help')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('KUBECONFIG'),
  });
});

test('on a kernel without IPv6, HAProxy binds IPv4 addresses only', async () => {
  const files = [at('kubeconfig'), at('template'), at('haproxy.cfg')];
  const show = [hawser, 'show-config', ...files, ...twoServers] as const;
  const here = await runCommand(show, { timeoutMs: 30_000 });
  expect(JSON.parse(here.stdout)).toMatchObject({ anyAddress: '::' });
  // Like with ipv6.disable=1: the process sees a /proc/net without if_inet6.
  const hidden = [
    'unshare',
    '-m',
    'sh',
    '-c',
    'mount -t tmpfs none /proc/$$/net && exec "$@"',
    'sh',
  ] as const;
  const without = await runCommand([...hidden, ...show], { timeoutMs: 30_000 });
  expect(JSON.parse(without.stdout)).toMatchObject({ anyAddress: '0.0.0.0' });
});
