import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { node } from '../../helpers/api-server/objects.ts';
import { serverNames } from '../../helpers/load-balancer.ts';
import { ensureBuilt, hawser } from '../../helpers/supervisor-build.ts';
import { createTestCluster } from '../engine/kube/observing.ts';

const templateSource = fileURLToPath(new URL('../../../templates/haproxy.cfg.ejs', import.meta.url));

let directory: string;
const at = (name: string) => join(directory, name);

beforeAll(ensureBuilt);
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hawser-render-'));
  copyFileSync(templateSource, at('template'));
  chmodSync(at('template'), 0o640);
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const run = (command: string, ...flags: readonly string[]) =>
  runCommand(
    [hawser, command, at('kubeconfig'), at('template'), at('haproxy.cfg'), '--api-port', '1', ...flags],
    {
      timeoutMs: 30_000,
    },
  );
const twoServers = ['--source', 'static', '--servers', 'b=10.0.0.2:6443,a=10.0.0.1:6443'];

test('render writes the configuration once, with the mode of its template', async () => {
  expect(await run('render', ...twoServers)).toMatchObject({ exitCode: 0 });
  expect(serverNames(readFileSync(at('haproxy.cfg'), 'utf8'))).toEqual(['a', 'b']);
  expect(statSync(at('haproxy.cfg')).mode & 0o777).toBe(0o640);
});

test('render on the first node of a cluster, without an API or a kubeconfig, gives HAProxy something to start with', async () => {
  expect(await run('render')).toMatchObject({ exitCode: 0 });
  expect(readFileSync(at('haproxy.cfg'), 'utf8')).toContain('/haproxy_ready');
});

test('render asks the API with the token of a file', async () => {
  const cluster = createTestCluster();
  try {
    cluster.store.set(node('cp-1', ['10.0.0.1']));
    const { port } = await cluster.start({
      authorize: ({ token }) => (token === 'of the file' ? 'allowed' : 'unauthenticated'),
    });
    writeFileSync(at('token'), 'of the file\n');
    cluster.writeKubeconfig(`https://127.0.0.1:${port}`, `{tokenFile: ${at('token')}}`);
    copyFileSync(cluster.kubeconfigPath, at('kubeconfig'));
    expect(await run('render')).toMatchObject({ exitCode: 0 });
    expect(serverNames(readFileSync(at('haproxy.cfg'), 'utf8'))).toEqual(['cp-1']);
  } finally {
    await cluster.remove();
  }
});

test('render leaves a configuration alone that it knows no better than', async () => {
  writeFileSync(at('haproxy.cfg'), '# hawser renders this file\nwhat is there');
  expect(await run('render')).toMatchObject({ exitCode: 0 });
  expect(readFileSync(at('haproxy.cfg'), 'utf8')).toBe('# hawser renders this file\nwhat is there');
});

test('render says what is wrong with a template, and writes nothing', async () => {
  writeFileSync(at('template'), 'maxconn <%= maxcon.total %>\n');
  const result = await run('render', ...twoServers);
  expect(result.exitCode).toBe(1);
  expect(result.stderr).toContain('maxcon');
  expect(() => statSync(at('haproxy.cfg'))).toThrow('ENOENT');
});

test('show-config prints what a template can use', async () => {
  const result = await run('show-config', ...twoServers);
  expect(result.exitCode).toBe(0);
  expect(JSON.parse(result.stdout)).toMatchObject({
    ports: { lbPort: 9445 },
    servers: [{ name: 'a', endpoint: '10.0.0.1:6443' }, { name: 'b' }],
  });
});

test('a static source without servers is a usage error that says so', async () => {
  const result = await run('render', '--source', 'static');
  expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--servers') });
});

test('an unknown command, no command and --help', async () => {
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

test('where the kernel has no IPv6, HAProxy is told to bind IPv4 addresses alone', async () => {
  const files = [at('kubeconfig'), at('template'), at('haproxy.cfg')];
  const show = [hawser, 'show-config', ...files, ...twoServers] as const;
  const here = await runCommand(show, { timeoutMs: 30_000 });
  expect(JSON.parse(here.stdout)).toMatchObject({ anyAddress: '::' });
  // As with ipv6.disable=1: the process sees a /proc/net without if_inet6.
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
