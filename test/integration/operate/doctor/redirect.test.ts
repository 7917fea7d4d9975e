import { spawn } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createRedirectKeeper } from '../../../../src/api-lb/redirect/redirect-keeper.ts';
import { doctorArgv, runDoctor } from '../../../helpers/doctor/run-doctor.ts';
import { temporaryRoot } from '../../../helpers/doctor/scene.ts';
import { createNetNamespace, type NetNamespace } from '../../../helpers/net-namespace.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

const VIP = '192.0.2.100';
const flags = ['--api-vips', VIP, '--only', 'redirect,ports,nft'];

async function namespaceOfTest(): Promise<NetNamespace> {
  const namespace = await createNetNamespace();
  onTestFinished(() => namespace.remove());
  return namespace;
}

/** A real HAProxy on our ports that reports a usable server. */
async function startHaproxy(namespace: NetNamespace): Promise<() => Promise<void>> {
  const config = join(temporaryRoot({}), 'haproxy.cfg');
  writeFileSync(
    config,
    `defaults
  mode http
  timeout connect 1s
  timeout client 1s
  timeout server 1s
frontend main
  bind :9445
frontend health
  bind :9444
  http-request return status 200 if { path /haproxy_monitor }
`,
  );
  const [file, ...prefix] = namespace.prefix;
  const child = spawn(file, [...prefix, 'haproxy', '-db', '-f', config], { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await waitFor(
    'HAProxy to answer',
    async () =>
      (await namespace.run('curl', '-sf', 'http://127.0.0.1:9444/haproxy_monitor').catch(() => undefined)) !==
      undefined,
  );
  return async () => {
    child.kill('SIGKILL');
    await ended;
  };
}

// Several runs of a program, each of which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

test('the redirect exists, is missing, differs, or leads to a closed port', async () => {
  const namespace = await namespaceOfTest();
  const [first, ...prefix] = namespace.prefix;
  const keeper = createRedirectKeeper({ nft: [first, ...prefix, 'nft'] });
  const ask = async () => (await runDoctor(namespace, flags)).said('redirect');
  expect(await ask()).toMatch(/^skip: /);
  const stop = await startHaproxy(namespace);
  expect(await ask()).toMatch(/^fail: there is no redirect/);
  await keeper.ensure({ vips: ['192.0.2.99'], apiPort: 6443, lbPort: 9445 });
  expect(await ask()).toMatch(/^fail: table hawser_api_redirect does not contain exactly/);
  await keeper.ensure({ vips: [VIP], apiPort: 6443, lbPort: 9445 });
  const { said } = await runDoctor(namespace, flags);
  expect(said('redirect')).toMatch(/^ok: 192\.0\.2\.100 port 6443 -> 9445/);
  expect(said('ports')).toContain('port 9445 (load balancer) is used by haproxy');
  await stop();
  expect(await ask()).toMatch(/^fail: clients of .* reach an HAProxy without a server/);
});

test('nft works, is not installed, or lacks permission', async () => {
  const namespace = await namespaceOfTest();
  const ask = async (...before: readonly string[]) =>
    (await runDoctor(namespace, ['--only', 'nft'], [...before, ...doctorArgv])).said('nft');
  expect(await ask()).toMatch(/^ok: /);
  expect(await ask('env', 'PATH=/nowhere')).toBe('fail: nft is not installed here');
  const refusing = temporaryRoot({
    '/nft': '#!/bin/sh\necho "Operation not permitted (you must be root)" >&2\nexit 1\n',
  });
  chmodSync(join(refusing, 'nft'), 0o755);
  expect(await ask('env', `PATH=${refusing}:/usr/bin:/bin`)).toMatch(/^unknown: nft lacks permission/);
});
