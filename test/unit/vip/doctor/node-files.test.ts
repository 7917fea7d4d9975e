import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isoTime } from '../../../../src/engine/system/time/iso-time.ts';
import { orderFileText } from '../../../../src/vip/orders/order-file.ts';
import { examine, type Files, said } from '../../../helpers/doctor/scene.ts';

const settings = { apiVips: ['192.0.2.100'], interface: 'eth0' };
const running = (pid: number, ...argv: readonly string[]): Files => ({
  [`/proc/${pid}/comm`]: `${argv[0]?.split('/').at(-1)?.slice(0, 15)}\n`,
  [`/proc/${pid}/cmdline`]: `${argv.join('\0')}\0`,
});

const network = '[Match]\nName=eth*\n[Network]\nDHCP=yes\n';
const networkd = (files: Files = {}): Files => ({
  ...running(77, '/usr/lib/systemd/systemd-networkd'),
  ...files,
});
const lan = (text: string) => networkd({ '/etc/systemd/network/10-lan.network': text });
const dropIn = networkd({
  '/usr/lib/systemd/network/10-lan.network': network,
  '/etc/systemd/network/10-lan.network.d/vip.conf': '[Network]\nKeepConfiguration=yes\n',
});
const earlier = networkd({
  '/etc/systemd/network/05-keep.network': '[Match]\nName=eth0\n[Network]\nKeepConfiguration=yes\n',
  '/run/systemd/network/10-lan.network': network,
});
const manager = (path?: string, devices = ''): Files => ({
  ...running(77, '/usr/sbin/NetworkManager'),
  ...(path && { [`/etc/NetworkManager/${path}`]: `[keyfile]\nunmanaged-devices=${devices}\n` }),
});

const ours = readFileSync(new URL('../../../../manifests/keepalived.yaml', import.meta.url), 'utf8');
const pod = (name: string, text: string): Files => ({ [`/etc/kubernetes/manifests/${name}`]: text });
const kubeVip = (vip: string) =>
  `kind: Pod\nspec:\n  containers:\n    - name: kube-vip\n      args: ["${vip}"]\n`;
const older = '{\n"image": "quay.io/osixia/keepalived:2.0.20",\n"env": "192.0.2.100"\n}';
const packaged = running(9, '/usr/sbin/keepalived', '--dont-fork');
const supervised = running(9, '/usr/sbin/keepalived', '--vrrp', '--dont-fork', '--dont-respawn');
const supervisor = running(10, 'node', '/hawser.mjs', 'keepalived', 'supervise');
const elsewhere = { '/proc/self/ns/net': '->net:[1]', '/proc/9/ns/net': '->net:[2]', ...packaged };

/** keepalived with this scheduling policy. The fields of `stat` are from a real process (Linux 6.18). */
function scheduled(policy: 0 | 2, { nice = true, share = '' } = {}): Files {
  const priority = policy === 0 ? 0 : 20;
  const stat = `S 8 9 9 0 -1 4194560 297 0 0 0 1 2 0 0 ${-priority - 1} 0 1 0 2487753 28385280 1830 18446744073709551615 1 1 0 0 0 0 0 4096 81923 0 0 0 17 1 ${priority} ${policy} 0 0 0 0 0 0 0 0 0 0 0\n`;
  return {
    ...supervised,
    '/proc/9/stat': `9 (keepalived) ${stat}`,
    '/proc/9/status': `Name:\tkeepalived\nCapEff:\t0000000000${nice ? '8' : '0'}03800\n`,
    '/proc/9/cgroup': '3:cpuset:/kubepods/x\n1:cpu,cpuacct:/kubepods/x\n0::/kubepods/x\n',
    ...(share && { '/sys/fs/cgroup/cpu/kubepods/x/cpu.rt_runtime_us': `${share}\n` }),
  };
}

const hourMs = 3_600_000;
const order = (kind: 'drain' | 'move-vip', agoMs: number): string => {
  const atMs = Date.now() - agoMs;
  const whose = { id: '0123456789abcdef', by: 'root@cp-1', why: 'kernel' };
  const asked = { v: 1, ...whose, at: isoTime(atMs) } as const;
  return kind === 'drain'
    ? orderFileText({ order: kind, ...asked, vips: ['api', 'ingress'] })
    : orderFileText({ order: kind, ...asked, vip: 'api', first: 'demote', until: isoTime(atMs + 40_000) });
};
const ordered = (text: string): Files => ({ '/etc/hawser-keepalived/vrrp-steering.json': text });

test.each<[check: string, claim: string, files: Files, words: RegExp]>([
  ['networkd', 'does not run', { '/etc/systemd/network/10-lan.network': network }, /^skip: /],
  ['networkd', 'manages another interface', lan('[Match]\nName=ens*\n'), /^ok: /],
  ['networkd', 'manages all but some', lan('[Match]\nName=eth[!0-3]\n'), /^ok: /],
  ['networkd', 'manages one of some', lan('[Match]\nName=e?h[!1-3]\n'), /^warn: /],
  ['networkd', 'has an unclosed bracket', lan('[Match]\nName=eth[0 eth(\n'), /^ok: /],
  ['networkd', 'has a reversed range', lan('[Match]\nName=eth[9-0]\n'), /^ok: /],
  [
    'networkd',
    'would remove the VIP',
    lan(network),
    /^warn: .*> \/etc\/systemd\/network\/10-lan\.network\.d\/vip/,
  ],
  ['networkd', 'keeps it', lan(`${network}KeepConfiguration=static\n`), /^ok: /],
  ['networkd', 'keeps it by a drop-in', dropIn, /^ok: /],
  ['networkd', 'follows the first file by name', earlier, /^ok: /],
  ['networkd', 'keeps only what DHCP gave', lan(`${network}KeepConfiguration=dhcp\n`), /^warn: /],
  ['networkmanager', 'does not run', {}, /^skip: /],
  ['networkmanager', 'manages the interface', manager(), /^warn: /],
  ['networkmanager', 'leaves it alone', manager('conf.d/vip.conf', 'mac:00:22;interface-name:eth*'), /^ok: /],
  [
    'networkmanager',
    'leaves another alone',
    manager('NetworkManager.conf', 'interface-name:eth1'),
    /^warn: /,
  ],
  ['other-vip-software', 'none', {}, /^ok: /],
  ['other-vip-software', 'the pod of hawser', pod('keepalived.yaml', ours), /^ok: /],
  ['other-vip-software', 'kube-vip with our VIP', pod('kube-vip.yaml', kubeVip('192.0.2.100')), /^fail: /],
  ['other-vip-software', 'kube-vip with another VIP', pod('kube-vip.yaml', kubeVip('192.0.2.10')), /^warn: /],
  ['other-vip-software', 'an older pod of keepalived', pod('vip.json', older), /^fail: /],
  [
    'other-vip-software',
    'a file that the kubelet ignores',
    pod('.kube-vip.yaml', kubeVip('192.0.2.100')),
    /^ok: /,
  ],
  ['other-vip-software', 'the keepalived of a package', packaged, /^warn: /],
  [
    'other-vip-software',
    "a package's keepalived next to hawser's",
    { ...packaged, ...supervisor },
    /^fail: /,
  ],
  ['other-vip-software', 'the keepalived of hawser', supervised, /^ok: /],
  ['other-vip-software', 'a keepalived in its own network namespace', elsewhere, /^ok: /],
  ['keepalived-priority', 'real time', scheduled(2), /^ok: keepalived runs at real-time priority 20$/],
  ['keepalived-priority', 'an ordinary priority', scheduled(0), /^warn: .*--realtime-priority off/],
  ['keepalived-priority', 'no SYS_NICE', scheduled(0, { nice: false }), /^warn: .*no SYS_NICE/],
  [
    'keepalived-priority',
    'a cgroup without real time',
    scheduled(0, { share: '0' }),
    /^warn: .*cpu\.rt_runtime_us/,
  ],
  ['keepalived-priority', 'a cgroup with real time', scheduled(0, { share: '9' }), /^warn: (?!.*rt_runtime)/],
  ['keepalived-priority', 'an unreadable stat', { ...scheduled(0), '/proc/9/stat': '' }, /^unknown: /],
  ['keepalived-priority', 'no keepalived of hawser', {}, /^skip: /],
  ['steering', 'no order', {}, /^ok: not drained, no move in progress/],
  [
    'steering',
    'a drain of today',
    ordered(order('drain', 2 * hourMs)),
    /^ok: .* drained \(api, ingress\) by root@cp-1/,
  ],
  ['steering', 'a forgotten drain', ordered(order('drain', 25 * hourMs)), /^warn: .* since 20.*: kernel;/],
  ['steering', 'a move', ordered(order('move-vip', 5_000)), /^ok: a move-vip is in progress by root@cp-1/],
  ['steering', 'a move that never ended', ordered(order('move-vip', hourMs)), /^warn: .*should be over/],
  [
    'steering',
    'half an order',
    ordered(order('move-vip', 0).slice(0, 30)),
    /^warn: .*is ignored: invalid JSON/,
  ],
])('%s: %s', async (check, _, files, words) => {
  expect(said(await examine(check, files, settings))).toMatch(words);
});
