import { appendFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { runDoctor } from '../../../helpers/doctor/run-doctor.ts';
import { temporaryRoot } from '../../../helpers/doctor/scene.ts';
import { createVrrpPair, VIP, type VrrpNode } from '../../../helpers/keepalived-node.ts';
import { createSupervisedHost } from '../../../helpers/supervisor-host.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

// Several runs of a program, each of which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

test('a node that runs HAProxy, then a file edited by hand, then a killed supervisor', async () => {
  await using host = await createSupervisedHost();
  host.install('v1');
  const supervisor = host.supervise();
  await supervisor.waitForServing();
  const { config, socket } = host.paths;
  const only = ['--only', 'haproxy-supervisor,haproxy-config'];
  const ask = async () =>
    await runDoctor(host.namespace, [...only, '--haproxy-config', config, '--haproxy-socket', socket]);
  const good = await ask();
  expect(good.said('haproxy-supervisor')).toMatch(/^ok: serving, pid \d+/);
  expect(good.said('haproxy-config')).toMatch(/^ok: .* is the running configuration/);
  appendFileSync(config, '# edited\n');
  expect((await ask()).said('haproxy-config')).toMatch(/^fail: .* is not the running configuration/);
  supervisor.kill('SIGKILL');
  await supervisor.ended;
  const dead = await ask();
  expect(dead.said('haproxy-supervisor')).toMatch(/^fail: nothing answers/);
  expect(dead.said('haproxy-config')).toMatch(/^unknown: its supervisor does not report/);
  expect(dead.exitCode).toBe(1);
});

test('a pair that holds a VIP needs only the flags that locate its files', async () => {
  await using pair = await createVrrpPair();
  const [a, b] = pair.nodes;
  a.install();
  b.install();
  const first = a.supervise();
  const second = b.supervise();
  await first.waitForState('MASTER');
  await second.waitForState('BACKUP');
  await waitFor('the VIP to be on the first node', () => a.holdsVip());
  const only = [
    '--only',
    'keepalived-supervisor,keepalived-config,vip-holder,vrrp-adverts,foreign-router-id,other-vip-software,keepalived-priority',
  ];
  const ask = async ({ namespace, paths }: VrrpNode) =>
    await runDoctor(namespace, [
      ...only,
      '--keepalived-config',
      paths.config,
      '--keepalived-socket',
      paths.socket,
      '--manifests',
      temporaryRoot({}),
    ]);
  const holder = await ask(a);
  expect(holder.said('keepalived-supervisor')).toMatch(/^ok: running, pid \d+ \(API MASTER\)/);
  expect(holder.said('keepalived-config')).toMatch(/^ok: .* is the running configuration/);
  expect(holder.said('vip-holder')).toMatch(/^ok: 10\.77\.0\.100 is on /);
  expect(holder.said('vrrp-adverts')).toMatch(/^ok: this node holds the VIP and its adverts leave/);
  expect(holder.said('foreign-router-id')).toMatch(/^ok: /);
  expect(holder.said('other-vip-software')).toMatch(/^ok: /);
  expect(holder.said('keepalived-priority')).toBe('ok: keepalived runs at real-time priority 20');
  const backup = await ask(b);
  expect(backup.said('keepalived-supervisor')).toContain('API BACKUP');
  expect(backup.said('vip-holder')).toContain(`ok: ${VIP} is held by`);
  expect(backup.said('vrrp-adverts')).toMatch(/^ok: adverts from .* arrive/);
  expect(backup.said('foreign-router-id')).toMatch(/^ok: id \d+: no other router used it/);
  appendFileSync(b.paths.config, '# edited\n');
  expect((await ask(b)).said('keepalived-config')).toMatch(/^fail: .* is not the running configuration/);
});
