import { expect, test } from 'vitest';
import { moreRights } from '../../../../src/engine/examine/check.ts';
import { parseListeners } from '../../../../src/engine/system/network/listening-ports.ts';
import { scopeOf } from '../../../../src/operate/doctor/node-checks.ts';
import { unicastPeers } from '../../../../src/vip/doctor/facts.ts';
import {
  examine,
  examineInContainer,
  type Files,
  type Settings,
  said,
} from '../../../helpers/doctor/scene.ts';

const line = (local: string, state = '0A') =>
  `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0`;

test.each([
  ['every address', line('00000000:24E5'), [[9445, 'all']]],
  ['loopback', line('0100007F:7305'), [[29_445, 'loopback']]],
  ['one address', line('0B004D0A:24E5'), [[9445, 'address']]],
  ['IPv6 loopback', line('00000000000000000000000001000000:24E5'), [[9445, 'loopback']]],
  ['IPv4 loopback in IPv6', line('0000000000000000FFFF00000100007F:24E5'), [[9445, 'loopback']]],
  ['no address, but is connected', line('0100007F:24E5', '01'), []],
])('the scope of a socket that listens on %s is recognised', (_, socket, found) => {
  const header =
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';
  const listeners = parseListeners(`${header}\n${socket}`);
  expect(listeners.map(({ address, port }) => [port, scopeOf(address)])).toEqual(found);
});

const moved = { pages: [{ program: 'keepalived supervise', port: 9095 }] };

test.each<[claim: string, socket: string, settings: Settings, finding: object]>([
  ['one in use by an invisible process', '00000000:24E5', {}, { kind: 'unknown', remedy: moreRights }],
  ['a page on loopback, with a listener on another address', '0B004D0A:7305', {}, { kind: 'ok' }],
  ['a port that no program has', '0100007F:2387', {}, { kind: 'ok' }],
  [
    'the page of a program, wherever it is',
    ...(['0100007F:2387', moved] as const),
    { message: expect.stringContaining('port 9095 (page of hawser keepalived supervise) is in use') },
  ],
])('ports: %s', async (_, socket, settings, finding) => {
  expect(await examine('ports', { '/proc/net/tcp': line(socket) }, settings)).toMatchObject(finding);
});

test.each([
  ['/usr/sbin/haproxy -W -db -f /etc/haproxy/haproxy.cfg -p /run/p -S /run/g.sock,mode,600', 'ok'],
  [
    '/usr/sbin/haproxy -Ws -f /etc/haproxy/haproxy.cfg -p /run/haproxy.pid -S /run/haproxy-master.sock',
    'fail',
  ],
])('ports: one in use by %s', async (command, kind) => {
  const files = {
    '/proc/net/tcp': line('00000000:24E5'),
    '/proc/9/comm': 'haproxy\n',
    '/proc/9/cmdline': command.replaceAll(' ', '\0'),
    '/proc/9/fd/3': '->socket:[1]',
  };
  expect(await examine('ports', files)).toMatchObject({ kind });
});

test('peers: the unique peers of all instances, without comments', () => {
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

const manifest: Files = { '/etc/kubernetes/manifests/haproxy.yaml': 'image: hawser:1' };

test.each([
  ...['settings-file', 'haproxy-supervisor', 'haproxy-config', 'keepalived-supervisor', 'keepalived-config'],
  ...['keepalived-priority', 'networkd', 'networkmanager', 'other-vip-software', 'credentials'],
  ...['client-certificate', 'node-labels'],
])("%s cannot be judged if the node's files are not mounted", async (id) => {
  const finding = said(await examineInContainer(id, { '/proc/1/comm': 'tini\n' }));
  expect(finding).toMatch(/^unknown: .*not visible.*--root/);
});

test("an installed program is not reported as dead if the node's processes are hidden", async () => {
  expect(await examineInContainer('haproxy-supervisor', manifest)).toMatchObject({ kind: 'unknown' });
});
