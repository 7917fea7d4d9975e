import { expect, test } from 'vitest';
import { moreRights } from '../../../../src/engine/examine/check.ts';
import { parseListeners } from '../../../../src/engine/system/network/listening-ports.ts';
import { scopeOf } from '../../../../src/operate/doctor/look/listeners.ts';
import { unicastPeers } from '../../../../src/vip/doctor/look/configured-peers.ts';
import { neighbourOf } from '../../../../src/vip/doctor/look/neighbours.ts';
import { examine } from '../../../helpers/doctor/scene.ts';

const line = (local: string, state: string, inode: number): string =>
  `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000     0        0 ${inode} 1 0 100 0 0 10 0`;

test('listeners: what listens, and from where it can be reached', () => {
  const table = [
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
    line('00000000:24E5', '0A', 1),
    line('0100007F:7305', '0A', 2),
    line('0B004D0A:24E5', '0A', 3),
    line('00000000000000000000000001000000:24E5', '0A', 4),
    line('0000000000000000FFFF00000100007F:24E5', '0A', 5),
    line('0100007F:24E5', '01', 6),
  ].join('\n');
  expect(
    parseListeners(table).map(({ address, port, inode }) => ({ port, scope: scopeOf(address), inode })),
  ).toEqual([
    { port: 9445, scope: 'all', inode: '1' },
    { port: 29445, scope: 'loopback', inode: '2' },
    { port: 9445, scope: 'address', inode: '3' },
    { port: 9445, scope: 'loopback', inode: '4' },
    { port: 9445, scope: 'loopback', inode: '5' },
  ]);
});

test('ports: one that is in use by an invisible process', async () => {
  const files = { '/proc/net/tcp': line('00000000:24E5', '0A', 1) };
  expect(await examine('ports', files)).toMatchObject({ kind: 'unknown', todo: moreRights });
});

test('ports: a listener on one address is in the way of HAProxy and not of a page on loopback', async () => {
  const files = { '/proc/net/tcp': line('0B004D0A:7305', '0A', 1) };
  expect(await examine('ports', files)).toMatchObject({ kind: 'ok' });
});

test("ports: the four programs' pages, wherever they are", async () => {
  const files = { '/proc/net/tcp': line('0100007F:2387', '0A', 1) };
  expect(await examine('ports', files)).toMatchObject({ kind: 'ok' });
  const pages = [{ program: 'keepalived supervise', port: 9095 }];
  expect(await examine('ports', files, { pages })).toMatchObject({
    kind: 'unknown',
    found: expect.stringContaining('port 9095 (page of hawser keepalived supervise) is taken'),
  });
});

test('ports: the one for the peers counts where there are certificates for them', async () => {
  const files = { '/proc/net/tcp': line('0B004D0A:730A', '0A', 1) };
  expect(await examine('ports', files)).toMatchObject({ kind: 'ok' });
  const peers = { kind: 'set', files: { ca: '/ca', cert: '/cert', key: '/key' }, port: 29_450 } as const;
  expect(await examine('ports', files, { peers })).toMatchObject({
    kind: 'unknown',
    found: expect.stringContaining('port 29450 (status for the peers) is taken'),
  });
});

test('api-port: nobody, before the installation and after it', async () => {
  expect(await examine('api-port', {})).toMatchObject({ kind: 'skip' });
  const files = { '/etc/kubernetes/manifests/kube-apiserver.yaml': 'kind: Pod' };
  expect(await examine('api-port', files)).toMatchObject({ kind: 'warn' });
});

test('reserved-ports: a range that leaves ours alone, and one that was reserved', async () => {
  const folder = '/proc/sys/net/ipv4/ip_local_';
  const spared = { [`${folder}port_range`]: '51000\t60999\n', [`${folder}reserved_ports`]: '\n' };
  expect(await examine('reserved-ports', spared)).toMatchObject({ kind: 'ok' });
  const partly = {
    [`${folder}port_range`]: '32768\t60999\n',
    [`${folder}reserved_ports`]: '6443,29446-29447\n',
  };
  const finding = await examine('reserved-ports', partly);
  expect(finding).toMatchObject({ kind: 'warn', todo: expect.stringContaining('=6443,29446-29447,9444 ') });
  const widened = { [`${folder}port_range`]: '1024\t9000\n', [`${folder}reserved_ports`]: '\n' };
  expect(await examine('reserved-ports', widened)).toMatchObject({
    kind: 'warn',
    found: '6443 may be given to any client of this node (1024-9000)',
  });
});

test('neighbours: one that answered, one that did not', () => {
  const entry = (state: string): string =>
    JSON.stringify([{ dst: '10.0.0.1', lladdr: '02:00:00:00:00:01', state: [state] }]);
  expect([entry('REACHABLE'), entry('FAILED'), '[]', ''].map(neighbourOf)).toEqual([
    '02:00:00:00:00:01',
    undefined,
    undefined,
    undefined,
  ]);
});

test('peers: those of every instance, each once, comments left out', () => {
  const text = `vrrp_instance A {
  unicast_peer {
    10.0.0.12 min_ttl 255 max_ttl 255
    # 10.0.0.99
    10.0.0.13
  }
}
vrrp_instance B { unicast_peer {
10.0.0.12
} }`;
  expect(unicastPeers(text).map(({ address }) => address)).toEqual(['10.0.0.12', '10.0.0.13']);
});

test('nonlocal-bind: a haproxy.cfg that binds everything needs nothing', async () => {
  const settings = { apiVips: ['10.77.0.100', 'fd77::100'] };
  const config = (bind: string) => ({
    '/etc/haproxy/haproxy.cfg': `frontend main\n  bind ${bind}\n`,
    '/proc/sys/net/ipv4/ip_nonlocal_bind': '1\n',
    '/proc/sys/net/ipv6/ip_nonlocal_bind': '0\n',
  });
  expect(await examine('nonlocal-bind', {}, settings)).toMatchObject({ kind: 'skip' });
  expect(await examine('nonlocal-bind', config(':::9445 v4v6'), settings)).toMatchObject({ kind: 'ok' });
  expect(await examine('nonlocal-bind', config('10.77.0.100:9445'), settings)).toMatchObject({ kind: 'ok' });
  expect(await examine('nonlocal-bind', config('[fd77::100]:9445'), settings)).toMatchObject({
    kind: 'fail',
  });
});
