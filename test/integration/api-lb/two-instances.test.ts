import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startLogged } from '../../helpers/child.ts';
import { createNetNamespace, type NetNamespace } from '../../helpers/net-namespace.ts';
import { hawser } from '../../helpers/supervisor-build.ts';
import { readLogEvents, type SupervisorProcess, startSupervisor } from '../../helpers/supervisor-process.ts';
import { waitFor } from '../../helpers/wait-for.ts';

const template = fileURLToPath(new URL('../../../templates/haproxy.cfg.ejs', import.meta.url));

let namespace: NetNamespace;
let directory: string;
beforeEach(async () => {
  namespace = await createNetNamespace();
  directory = mkdtempSync('/tmp/hwsr-');
});
afterEach(async () => {
  await namespace.remove();
  rmSync(directory, { recursive: true });
});

/** Mounts the test's folders over the node's, because the defaults are paths on the node. */
function prefix(): readonly [string, ...string[]] {
  const folders = ['etc', 'lib', 'run'].map((name) => join(directory, name));
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  const mounts = 'mount --bind "$1" /etc && mount --bind "$2" /var/lib && mount --bind "$3" /run';
  const shell = ['sh', '-ec', `${mounts} && shift 3 && exec "$@"`, 'node', ...folders];
  return [...namespace.prefix, 'unshare', '--mount', ...shell];
}

interface Instance {
  readonly supervisor: SupervisorProcess;
  readonly supervise: () => SupervisorProcess;
  readonly log: string;
}

/** A supervisor and a monitor whose only settings are the instance, if any, and the ports. */
function start(instance: string | undefined, ports: Readonly<Record<string, number | undefined>>): Instance {
  const suffix = instance === undefined ? '' : `-${instance}`;
  const config = `/etc/haproxy${suffix}/haproxy.cfg`;
  const logOf = (program: string) => join(directory, `${program}${suffix}.log`);
  const host = prefix();
  mkdirSync(join(directory, `etc/haproxy${suffix}`));
  writeFileSync(join(directory, 'etc/kubeconfig'), '');
  cpSync(template, join(directory, 'etc/haproxy.cfg.ejs'));
  const both = [...(instance === undefined ? [] : ['--instance', instance]), '--journal', '/etc/journal'];
  const times = ['--force-delete-timeout', '1s', '--drain-timeout', '1s'];
  const { page = 29_449, monitorPage = 29_446, ...own } = ports;
  const supervise = (): SupervisorProcess =>
    startSupervisor(host, [...both, '--listen', `127.0.0.1:${page}`, ...times], {
      socket: join(directory, `run/haproxy${suffix}/haproxy-master.sock`),
      logPath: logOf('supervisor'),
    });
  const supervisor = supervise();
  const flags = Object.entries(own).flatMap(([name, port]) => [`--${name}`, `${port}`]);
  const source = ['--source', 'static', '--servers', `${instance ?? 'api'}=127.0.0.1:1`];
  const listen = ['--listen', `127.0.0.1:${monitorPage}`];
  const argv = [hawser, 'haproxy', 'monitor', '/etc/kubeconfig', '/etc/haproxy.cfg.ejs', config];
  startLogged([...host, ...argv, ...both, ...flags, ...listen, ...source], logOf('monitor'));
  return { supervisor, supervise, log: logOf('supervisor') };
}

const portsOfB = {
  page: 22_001,
  monitorPage: 22_002,
  'lb-port': 22_000,
  'stat-port': 22_003,
  'health-port': 22_004,
};
/** Runs a command on the node. */
const hawserHere = (...words: readonly string[]): [string, ...string[]] => {
  const [first = '', ...rest] = prefix().slice(namespace.prefix.length);
  return [first, ...rest, hawser, ...words];
};

const configurationOf = (folder: string) =>
  readFileSync(join(directory, 'etc', folder, 'haproxy.cfg'), 'utf8');

test('two HAProxy instances on a node, each with a supervisor and a monitor, do not affect each other', async () => {
  const api = start(undefined, {});
  const apps = start('b', portsOfB);
  const one = await api.supervisor.waitForServing();
  const other = await apps.supervisor.waitForServing();
  expect(configurationOf('haproxy')).toContain('server api ');
  expect(configurationOf('haproxy-b')).toContain('server b ');
  const listening = await namespace.run('ss', '-Htln');
  for (const port of [/:9445\s/, /:22000\s/]) expect(listening).toMatch(port);
  expect(readdirSync(join(directory, 'etc/journal')).map((name) => name.split('.')[0])).toEqual(
    expect.arrayContaining(['haproxy-monitor', 'haproxy-supervisor', 'haproxy-supervisor-b']),
  );

  const [status, named] = await Promise.all([
    namespace.run(...hawserHere('haproxy', 'status')),
    namespace.run(...hawserHere('haproxy', 'status', '--instance', 'b')),
  ]);
  expect([status, named]).toEqual([
    expect.stringContaining(`pid ${one.pid}`),
    expect.stringContaining(`pid ${other.pid}`),
  ]);

  expect(await api.supervisor.reload()).toMatchObject({ ok: true });
  api.supervisor.kill('SIGKILL');
  await api.supervisor.ended;
  const next = api.supervise();
  const taken = await next.waitForServing(one.generation + 1);
  expect(taken.pid).not.toBe(one.pid);
  expect((await apps.supervisor.status()).current).toMatchObject({
    pid: other.pid,
    generation: other.generation,
  });

  next.kill('SIGTERM');
  expect(await next.ended).toBe(0);
  expect((await apps.supervisor.status()).current).toMatchObject({ pid: other.pid });
  const ended = readLogEvents(apps.log).filter(({ event }) => event.startsWith('generation-d'));
  expect(ended).toEqual([]);
  await waitFor('the other HAProxy to be left alone', async () => {
    const left = await namespace.run('ss', '-Htln');
    return !/:9445\s/.test(left) && /:22000\s/.test(left);
  });
});
