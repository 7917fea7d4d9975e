import { spawn } from 'node:child_process';
import {
  closeSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createNetNamespace, type NetNamespace } from '../../helpers/net-namespace.ts';
import { ensureBuilt, hawser } from '../../helpers/supervisor-build.ts';
import { readLogEvents, type SupervisorProcess, startSupervisor } from '../../helpers/supervisor-process.ts';
import { waitFor } from '../../helpers/wait-for.ts';

const template = fileURLToPath(new URL('../../../templates/haproxy.cfg.ejs', import.meta.url));

let namespace: NetNamespace;
let directory: string;
beforeEach(async () => {
  ensureBuilt();
  namespace = await createNetNamespace();
  directory = mkdtempSync('/tmp/hwsr-');
});
afterEach(async () => {
  await namespace.remove();
  rmSync(directory, { recursive: true });
});

interface Instance {
  readonly supervisor: SupervisorProcess;
  readonly supervise: () => SupervisorProcess;
  readonly log: string;
}

/** A supervisor and a monitor with folders and ports of their own, as docs/decisions/0052 lists them. */
function start(name: string, firstPort: number): Instance {
  const at = (file: string) => join(directory, name, file);
  mkdirSync(at('run'), { recursive: true });
  writeFileSync(at('kubeconfig'), '');
  cpSync(template, at('haproxy.cfg.ejs'));
  const [lbPort, page, monitorPage, statPort, healthPort] = Array.from(
    { length: 5 },
    (_, n) => firstPort + n,
  );
  const shared = ['--socket', at('master.sock'), '--stats-socket', at('run/stats.sock')];
  const both = [...shared, '--state-file', at('run/server-state'), '--journal', at('journal')];
  const own = ['--config', at('haproxy.cfg'), '--pid-file', at('run/pid'), '--listen', `127.0.0.1:${page}`];
  const times = ['--force-delete-timeout', '1s', '--drain-timeout', '1s'];
  const supervise = (): SupervisorProcess =>
    startSupervisor(namespace.prefix, [...both, ...own, ...times], {
      socket: at('master.sock'),
      logPath: at('log'),
    });
  const supervisor = supervise();
  const ports = ['--lb-port', lbPort, '--stat-port', statPort, '--health-port', healthPort].map(String);
  const listen = ['--listen', `127.0.0.1:${monitorPage}`];
  const source = ['--source', 'static', '--servers', `${name}=127.0.0.1:1`];
  const argv = [hawser, 'haproxy', 'monitor', at('kubeconfig'), at('haproxy.cfg.ejs'), at('haproxy.cfg')];
  const [command, ...args] = [...namespace.prefix, ...argv, ...both, ...ports, ...listen, ...source];
  const log = openSync(at('monitor.log'), 'a');
  spawn(command ?? '', args, { stdio: ['ignore', log, log] });
  closeSync(log);
  return { supervisor, supervise, log: at('log') };
}

const configurationOf = (name: string) => readFileSync(join(directory, name, 'haproxy.cfg'), 'utf8');

test('two HAProxys with a monitor and a supervisor each run beside each other, and outlive each other', async () => {
  const [api, apps] = [start('api', 21_000), start('apps', 22_000)];
  const [one, other] = [await api.supervisor.waitForServing(), await apps.supervisor.waitForServing()];
  expect(configurationOf('api')).toContain('server api ');
  expect(configurationOf('apps')).toContain('server apps ');
  const listening = await namespace.run('ss', '-Htln');
  for (const port of [/:21000\s/, /:22000\s/]) expect(listening).toMatch(port);

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
    return !/:21000\s/.test(left) && /:22000\s/.test(left);
  });
});
