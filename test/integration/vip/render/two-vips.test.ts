import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { isOlder } from '../../../../src/engine/system/text/version-order.ts';
import { parseKeepalivedBuild } from '../../../../src/keepalived/build.ts';
import { TRACK } from '../../../../src/keepalived/track-value.ts';
import { type KeepalivedProcess, startKeepalived } from '../../../helpers/keepalived-process.ts';
import { connectSegment, createNetNamespace, type NetNamespace } from '../../../helpers/net-namespace.ts';
import { configurationOf } from '../../../helpers/vip-configuration.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

const root = mkdtempSync('/run/hawser-two-vips-');
afterAll(() => rmSync(root, { recursive: true }));

const names = ['a', 'b', 'c'] as const;
const addressOf = (index: number): string => `10.0.0.${index + 1}`;
const controlPlane = names.map((name, index) => ({ name, addresses: [addressOf(index)] }));

const track = (name: string, value: number) => writeFileSync(join(root, name, 'lb.track'), `${value}\n`);

function startNode(index: number, namespace: NetNamespace, vip: string): KeepalivedProcess {
  const name = names[index] ?? '';
  const dir = join(root, name);
  mkdirSync(dir);
  const interfaces = [{ name: 'eth0', addresses: [`${addressOf(index)}/24`] }];
  // Not 20 ms, and ten adverts before a take-over: on a machine that pauses for seconds, it must not look as if adverts
  // were not sent.
  const settings = { nodeName: name, apiVips: [vip] };
  const text = configurationOf(dir, settings, { controlPlane, interfaces }, 500);
  const patient = text.replace('down_timer_adverts 3', 'down_timer_adverts 10');
  return startKeepalived(namespace, { dir, name: 'node', text: patient });
}

/** The number of adverts that reached a node, by sender. */
async function countAdverts(namespace: NetNamespace): Promise<() => Promise<readonly number[]>> {
  const counters = names.map((_, index) => `ip saddr ${addressOf(index)} ip protocol 112 counter`);
  const chain = `chain in { type filter hook input priority 0; ${counters.join('; ')} ; }`;
  await namespace.run('nft', `table ip adverts { ${chain} ; }`);
  return async () => {
    const shown = await namespace.run('nft', 'list', 'table', 'ip', 'adverts');
    return [...shown.matchAll(/counter packets (\d+)/g)].map(([, packets]) => Number(packets));
  };
}

/** Whether keepalived on this machine ignores an advert with its own router id and another VIP. */
const { stderr: printed } = spawnSync('keepalived', ['--version'], { encoding: 'utf8' });
const both = isOlder(parseKeepalivedBuild(printed)?.version ?? '', '2.3.0');

test('two VIPs with one router id: with keepalived 2.2 both are held and neither holder silences the other; with 2.3 only one is held', {
  timeout: 180_000,
}, async () => {
  await using a = await createNetNamespace();
  await using b = await createNetNamespace();
  await using c = await createNetNamespace();
  const namespaces = [a, b, c];
  const ends = namespaces.map((namespace, index) => ({
    namespace,
    device: 'eth0',
    addresses: [`${addressOf(index)}/24`],
  }));
  await using _segment = await connectSegment(ends);
  const [first, backup, other] = [
    startNode(0, a, '10.0.0.5'),
    startNode(1, b, '10.0.0.5'),
    startNode(2, c, '10.0.0.6'),
  ];
  const entered = ({ log }: KeepalivedProcess) => log().split('Entering MASTER STATE').length - 1;
  await waitFor('all to be there', () =>
    [first, backup, other].every(({ log }) => /Startup complete/.test(log())),
  );
  track('a', TRACK.healthyHolder);
  await waitFor('the first VIP', () => entered(first) > 0);
  track('c', TRACK.healthyHolder);
  if (both) await waitFor('both VIPs', () => entered(other) > 0);
  track('b', TRACK.healthy);
  const counts = await countAdverts(b);
  await waitFor('adverts', async () => (await counts()).some((count) => count >= 30));
  const [ofFirst = 0, , ofOther = 0] = await counts();
  expect(entered(backup)).toBe(0);
  if (both) {
    // Each sends two a second. A holder that is suppressed sends hardly any, until it loses its VIP.
    expect(Math.min(ofFirst, ofOther)).toBeGreaterThan(20);
    expect([entered(first), entered(other)]).toEqual([1, 1]);
    return;
  }
  // That was long enough to take over from a dead holder. The last change decides which VIP is held.
  expect([entered(first), entered(other), ofOther]).toEqual([1, 0, 0]);
  track('a', TRACK.fault);
  await waitFor('the other VIP', () => entered(other) > 0);
});
