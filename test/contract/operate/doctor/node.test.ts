import { type ChildProcess, spawn } from 'node:child_process';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runDoctor } from '../../../helpers/doctor/run-doctor.ts';
import { createDoctorSegment, PEERS, setSysctl, VIP } from '../../../helpers/doctor/segment.ts';
import type { NetNamespace } from '../../../helpers/net-namespace.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

/** The checks of this file, which do not depend on the machine that runs the test. */
const only = ['--only', 'vip-interface,vip-holder,ports,rp-filter,arp,ipv6'];
const vips = ['--api-vips', `${VIP},fd77::100`];

/** Starts a process that is not HAProxy and listens on the port. */
async function occupy(namespace: NetNamespace, port: number): Promise<ChildProcess> {
  const [file, ...prefix] = namespace.prefix;
  const child = spawn(file, [...prefix, 'socat', `TCP-LISTEN:${port},fork`, 'EXEC:true'], {
    stdio: 'ignore',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await waitFor(`port ${port} to be taken`, async () =>
    (await namespace.run('ss', '-Hltn', `sport = :${port}`)).includes(`:${port}`),
  );
  return child;
}

// Several runs of a program, each of which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

test('a node on which hawser would work passes all checks', async () => {
  const { us } = await createDoctorSegment();
  const { said, report, exitCode } = await runDoctor(us, [...vips, ...PEERS, ...only]);
  expect(report.checks.filter(({ verdict }) => verdict !== 'ok' && verdict !== 'skip')).toEqual([]);
  expect(said('vip-interface')).toContain(`ok: ${VIP} belongs on eth0`);
  expect(said('vip-holder')).toContain('no host answers');
  expect(exitCode).toBe(0);
});

test('every problem of a node is reported', async () => {
  const { us } = await createDoctorSegment();
  await us.run('ip', 'link', 'add', 'eth1', 'type', 'veth', 'peer', 'name', 'nowhere');
  await us.run('ip', 'address', 'add', '10.88.0.1/24', 'dev', 'eth1');
  await us.run('ip', 'link', 'set', 'nowhere', 'up');
  await us.run('ip', 'link', 'set', 'eth1', 'up');
  await us.run('ip', 'route', 'add', 'default', 'via', '10.88.0.254');
  await setSysctl(us, 'net.ipv4.conf.eth0.rp_filter=1', 'net.ipv4.conf.all.rp_filter=0');
  await setSysctl(us, 'net.ipv4.conf.eth0.arp_ignore=8');
  await setSysctl(us, 'net.ipv6.conf.eth0.disable_ipv6=1');
  const other = await occupy(us, 9445);
  const { said, report, exitCode } = await runDoctor(us, [...vips, ...PEERS, ...only]);
  expect(exitCode).toBe(1);
  expect(report.verdict).toBe('degraded');
  expect(said('rp-filter')).toMatch(/^fail: rp_filter of eth0 is strict.*eth1/);
  expect(said('arp')).toMatch(/^fail: arp_ignore of eth0 is 8/);
  expect(said('ipv6')).toMatch(/^fail: IPv6 is disabled on eth0/);
  expect(said('ports')).toContain(`fail: port 9445 (load balancer) is used by socat (pid ${other.pid})`);
  for (const { verdict, remedy } of report.checks)
    expect(remedy === null).toBe(verdict === 'ok' || verdict === 'skip');
});

test('an IPv6 VIP on a node with IPv6 disabled fails', async () => {
  const { us } = await createDoctorSegment();
  await setSysctl(us, 'net.ipv6.conf.all.disable_ipv6=1');
  const { said } = await runDoctor(us, ['--only', 'ipv6', ...vips]);
  expect(said('ipv6')).toMatch(/^fail: IPv6 is disabled/);
});

test('two interfaces in the subnet of the VIP are reported', async () => {
  const { us } = await createDoctorSegment();
  await us.run('ip', 'link', 'add', 'eth1', 'type', 'veth', 'peer', 'name', 'nowhere');
  await us.run('ip', 'address', 'add', '10.77.0.21/24', 'dev', 'eth1');
  await us.run('ip', 'link', 'set', 'nowhere', 'up');
  await us.run('ip', 'link', 'set', 'eth1', 'up');
  const ask = async () =>
    (await runDoctor(us, ['--only', 'arp', '--api-vips', VIP, '--interface', 'eth0'])).said('arp');
  expect(await ask()).toMatch(/^warn: eth0 and eth1 /);
  await setSysctl(us, 'net.ipv4.conf.all.arp_ignore=1');
  expect(await ask()).toMatch(/^ok: /);
});
