import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { TRACK } from '../../../../src/keepalived/track-value.ts';
import { type KeepalivedProcess, startKeepalived } from '../../../helpers/keepalived-process.ts';
import { connectPair, createNetNamespace, type NetNamespace } from '../../../helpers/net-namespace.ts';
import { configurationOf } from '../../../helpers/vip-configuration.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

const root = mkdtempSync('/run/hawser-dual-');
afterAll(() => rmSync(root, { recursive: true }));

const vips = ['10.0.0.5', 'fd00::5'];
const controlPlane = [
  { name: 'a', addresses: ['10.0.0.1', 'fd00::1'] },
  { name: 'b', addresses: ['10.0.0.2', 'fd00::2'] },
];
const cidrs = [
  ['10.0.0.1/24', 'fd00::1/64'],
  ['10.0.0.2/24', 'fd00::2/64'],
] as const;

async function held(namespace: NetNamespace): Promise<readonly string[]> {
  const shown = await namespace.run('ip', '-o', 'address', 'show', 'dev', 'eth0');
  return vips.filter((vip) => shown.includes(` ${vip}/`));
}

function joinGroup(
  nodeName: 'a' | 'b',
  namespace: NetNamespace,
  addresses: readonly string[],
): KeepalivedProcess {
  const dir = join(root, nodeName);
  mkdirSync(dir);
  const interfaces = [{ name: 'eth0', addresses }];
  // Not 20 ms: this test does not depend on speed, but must not fail on a starved machine.
  const settings = { nodeName, apiVips: vips };
  const text = configurationOf(dir, settings, { controlPlane, interfaces }, 300);
  return startKeepalived(namespace, { dir, name: 'node', text });
}

test('the VIPs of both families move together, away from FAULT and to a healthy node', async () => {
  await using a = await createNetNamespace();
  await using b = await createNetNamespace();
  await connectPair(
    { namespace: a, device: 'eth0', addresses: cidrs[0] },
    { namespace: b, device: 'eth0', addresses: cidrs[1] },
  );
  const track = (node: 'a' | 'b', value: number) => writeFileSync(join(root, node, 'lb.track'), `${value}\n`);
  const onlyOn = (holder: NetNamespace, other: NetNamespace) => async () =>
    (await held(holder)).length === 2 && (await held(other)).length === 0;

  const first = joinGroup('a', a, cidrs[0]);
  const both = [first, joinGroup('b', b, cidrs[1])];
  // No monitor has reported yet.
  await waitFor('both to be there', () => both.every(({ log }) => /Startup complete/.test(log())));
  expect([...(await held(a)), ...(await held(b))]).toEqual([]);

  track('a', TRACK.healthy);
  await waitFor('both VIPs on a', onlyOn(a, b));
  track('b', TRACK.healthy);
  track('a', TRACK.fault);
  await waitFor('both VIPs on b', onlyOn(b, a));

  // A holder whose monitor is silent gives both VIPs back to a healthy node.
  track('b', TRACK.doubtfulHolder);
  track('a', TRACK.healthy);
  await waitFor('both VIPs on a again', onlyOn(a, b));
  await waitFor('why', () => /received lower priority \(180\) advert/.test(first.log()));
});
