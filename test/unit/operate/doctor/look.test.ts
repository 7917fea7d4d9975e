import { expect, test } from 'vitest';
import { moreRights } from '../../../../src/engine/examine/check.ts';
import { parseListeners } from '../../../../src/engine/system/network/listening-ports.ts';
import { scopeOf } from '../../../../src/operate/doctor/node-checks.ts';
import { unicastPeers } from '../../../../src/vip/doctor/looks.ts';
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
  expect(await examine('ports', files)).toMatchObject({ kind: 'unknown', remedy: moreRights });
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
    message: expect.stringContaining('port 9095 (page of hawser keepalived supervise) is taken'),
  });
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
