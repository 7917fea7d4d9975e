import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import { doctorArgv, type Examined, runDoctor } from '../../../helpers/doctor/run-doctor.ts';
import { temporaryRoot } from '../../../helpers/doctor/scene.ts';
import { createDoctorSegment, PEERS, type Segment, VIP } from '../../../helpers/doctor/segment.ts';
import { foreignRouterText } from '../../../helpers/foreign-router.ts';
import { startKeepalived } from '../../../helpers/keepalived-process.ts';
import type { NetNamespace } from '../../../helpers/net-namespace.ts';
import { hawserAsNobody } from '../../../helpers/unprivileged.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

// Several runs of a program that listens for seconds, and for twice as long on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

const ONLY = ['--only', 'foreign-router-id'] as const;

async function ask(us: NetNamespace, ...flags: readonly string[]): Promise<string> {
  return (await runDoctor(us, [...ONLY, ...flags])).said('foreign-router-id');
}

/** Another cluster's holder: id 77, multicast. */
async function startForeign(namespace: NetNamespace, vip: string): Promise<void> {
  const config = foreignRouterText(3, [{ virtualRouterId: 77, vips: [vip] }]);
  startKeepalived(namespace, { dir: temporaryRoot({}), name: 'foreign', text: config });
  await waitFor('the foreign router to hold its VIP', async () =>
    (await namespace.run('ip', '-o', 'address', 'show', 'to', vip)).includes(vip),
  );
}

const ours = ['--api-vips', VIP, ...PEERS, '--virtual-router-ids'] as const;

test('another cluster with our id, a free id, a peer, and our own VIP', async () => {
  const { us, peer, stranger } = await createDoctorSegment();
  expect(await ask(us, ...ours, '77,78')).toBe('ok: id 77: no other router used it or its VIP within 3.2 s');
  await startForeign(stranger, '10.77.0.250');
  const found =
    'fail: 10.77.0.66 advertises 10.77.0.250 (VRRP 3, priority 5) with virtual router id 77, that of our 10.77.0.100 on eth0';
  expect(await ask(us, ...ours, '77,78')).toBe(found);
  // The table of the monitor's own guard, which may be listening at the same time.
  await us.run('nft', 'add', 'table', 'netdev', 'hawser_segment');
  const drop = 'table ip f { chain in { type filter hook input priority 0; ip protocol 112 drop; } ; }';
  await us.run('nft', drop);
  expect(await ask(us, ...ours, '77,78')).toBe(found);
  expect(await us.run('nft', 'list', 'tables')).toBe('table netdev hawser_segment\ntable ip f\n');
  expect(await ask(us, ...ours, '91,92')).toMatch(/^ok: id 91: /);
  // A node or a VIP of our own is not foreign.
  const all = ['--api-vips', VIP, '--servers', 'cp-2=10.77.0.66', '--virtual-router-ids', '77,78'];
  expect(await ask(us, ...all)).toMatch(/^ok: /);
  expect(await ask(us, '--api-vips', '10.77.0.250', ...all.slice(2))).toMatch(/^ok: /);
  expect(await peer.run('nft', 'list', 'tables')).toBe('');
});

test('without nft or without root the check cannot tell', async () => {
  const { us } = await createDoctorSegment();
  const flags = [...ONLY, ...ours, '77,78'];
  const said = ({ said: of, exitCode }: Examined) => [of('foreign-router-id'), exitCode];
  expect(said(await runDoctor(us, flags, ['/usr/bin/env', 'PATH=/nowhere', ...doctorArgv]))).toEqual([
    'unknown: "nft" cannot be run: it is not installed',
    2,
  ]);
  expect(said(await runDoctor(us, flags, [...hawserAsNobody(), 'doctor']))).toEqual([
    expect.stringMatching(/^unknown: nft: .*not permitted/),
    2,
  ]);
});

test('a check that is stopped while it listens says so and leaves no table', async () => {
  const { us }: Segment = await createDoctorSegment();
  const [file, ...prefix] = us.prefix;
  const argv = [...prefix, ...doctorArgv, '--only', 'foreign-router-id', ...ours, '77,78'];
  const child = spawn(file, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  const output = text(child.stdout);
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  await waitFor('the doctor to listen', async () =>
    (await us.run('nft', 'list', 'tables')).includes('netdev hawser_doctor'),
  );
  child.kill('SIGINT');
  expect(await ended).toBe(2);
  expect(await output).toMatch(/^cannot tell {2}foreign-router-id: it was stopped$/m);
  expect(await us.run('nft', 'list', 'tables')).toBe('');
});
