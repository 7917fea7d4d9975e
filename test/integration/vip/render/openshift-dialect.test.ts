import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, test } from 'vitest';
import { type KeepalivedProcess, startKeepalived } from '../../../helpers/keepalived-process.ts';
import { connectPair, createNetNamespace, type NetNamespace } from '../../../helpers/net-namespace.ts';
import { waitFor } from '../../../helpers/wait-for.ts';
import { configurationOf } from './render.ts';

const dir = mkdtempSync('/run/hawser-dialect-');
afterAll(() => rmSync(dir, { recursive: true }));

/** A master of today, 40 + 20 + 5 + 3, whose scripts all succeed. */
const today = readFileSync(
  fileURLToPath(new URL('../../../fixtures/openshift-keepalived.conf', import.meta.url)),
  'utf8',
);

const holds = async (namespace: NetNamespace) =>
  (await namespace.run('ip', '-4', '-o', 'address', 'show', 'dev', 'eth0')).includes('192.168.10.5/32');

/** Seconds of adverts and master-down times: VRRP 2 counts in whole ones. */
const deadlineMs = 60_000;

test('a node of the openshift profile and a shell pod understand each other', {
  timeout: 3 * deadlineMs,
}, async () => {
  await using theirs = await createNetNamespace();
  await using ours = await createNetNamespace();
  await connectPair(
    { namespace: theirs, device: 'eth0', addresses: ['192.168.10.11/24'] },
    { namespace: ours, device: 'eth0', addresses: ['192.168.10.10/24'] },
  );
  const shell = startKeepalived(theirs, { dir, name: 'shell', text: today });
  await waitFor('the shell pod to hold the VIP', () => holds(theirs), deadlineMs);

  const track = (value: number) => writeFileSync(join(dir, 'lb.track'), `${value}\n`);
  track(58);
  const text = configurationOf(
    dir,
    { profile: 'openshift', nodeName: 'master-0', apiVips: ['192.168.10.5'] },
    {
      controlPlane: [
        { name: 'master-0', addresses: ['192.168.10.10'] },
        { name: 'master-1', addresses: ['192.168.10.11'] },
      ],
      interfaces: [{ name: 'eth0', addresses: ['192.168.10.10/24'] }],
    },
  );
  const hawser = startKeepalived(ours, { dir, name: 'hawser', text });
  await waitFor('our node to hold the VIP', () => holds(ours), deadlineMs);
  await waitFor('the shell pod to give way', async () => !(await holds(theirs)), deadlineMs);
  // Each has understood the other: what neither understands, both would ignore, and both would hold the VIP.
  const says = ({ log }: KeepalivedProcess, pattern: RegExp) =>
    waitFor(`a line like ${pattern}`, () => pattern.test(log()), deadlineMs);
  await says(hawser, /received lower priority \(68\) advert from 192\.168\.10\.11/);
  await says(shell, /received advert from 192\.168\.10\.10 with higher priority 98, ours 68/i);

  track(-254);
  await waitFor('the shell pod to take over', () => holds(theirs), deadlineMs);
  await waitFor('our node to let go', async () => !(await holds(ours)), deadlineMs);
  await says(shell, /received priority 0 advert/);
});
