import { expect, test } from 'vitest';
import { examine, type Files } from '../../../helpers/doctor/scene.ts';

const running = (name: string): Files => ({
  '/proc/77/comm': `${name.slice(0, 15)}\n`,
  '/proc/77/cmdline': `/usr/lib/systemd/${name}\0`,
});
const onEth0 = { apiVips: ['192.0.2.100'], interface: 'eth0' };
const network = '[Match]\nName=eth*\n[Network]\nDHCP=yes\n';

test.each<[string, Files, string]>([
  ['does not run', { '/etc/systemd/network/10-lan.network': network }, 'skip'],
  [
    'manages another interface',
    { ...running('systemd-networkd'), '/etc/systemd/network/10-lan.network': '[Match]\nName=ens*\n' },
    'ok',
  ],
  [
    'would strip the VIP',
    { ...running('systemd-networkd'), '/etc/systemd/network/10-lan.network': network },
    'warn',
  ],
  [
    'keeps it',
    {
      ...running('systemd-networkd'),
      '/etc/systemd/network/10-lan.network': `${network}KeepConfiguration=static\n`,
    },
    'ok',
  ],
  [
    'keeps it by a drop-in',
    {
      ...running('systemd-networkd'),
      '/usr/lib/systemd/network/10-lan.network': network,
      '/etc/systemd/network/10-lan.network.d/vip.conf': '[Network]\nKeepConfiguration=yes\n',
    },
    'ok',
  ],
  [
    'follows the first file by name',
    {
      ...running('systemd-networkd'),
      '/etc/systemd/network/05-keep.network': '[Match]\nName=eth0\n[Network]\nKeepConfiguration=yes\n',
      '/run/systemd/network/10-lan.network': network,
    },
    'ok',
  ],
  [
    'keeps only what DHCP gave',
    {
      ...running('systemd-networkd'),
      '/etc/systemd/network/10-lan.network': `${network}KeepConfiguration=dhcp\n`,
    },
    'warn',
  ],
])('networkd: one that %s', async (_, files, kind) => {
  expect(await examine('networkd', files, onEth0)).toMatchObject({ kind });
});

test('networkd: what to type names the file that decides', async () => {
  const files = { ...running('systemd-networkd'), '/etc/systemd/network/10-lan.network': network };
  const finding = await examine('networkd', files, onEth0);
  expect(finding).toMatchObject({
    remedy: expect.stringContaining('/etc/systemd/network/10-lan.network.d/vip.conf'),
  });
});

test.each<[string, Files, string]>([
  ['does not run', {}, 'skip'],
  ['manages the interface', running('NetworkManager'), 'warn'],
  [
    'leaves it alone',
    {
      ...running('NetworkManager'),
      '/etc/NetworkManager/conf.d/vip.conf':
        '[keyfile]\nunmanaged-devices=mac:00:22:68:1c:59:b1;interface-name:eth*\n',
    },
    'ok',
  ],
  [
    'leaves another alone',
    {
      ...running('NetworkManager'),
      '/etc/NetworkManager/NetworkManager.conf': '[keyfile]\nunmanaged-devices=interface-name:eth1\n',
    },
    'warn',
  ],
])('networkmanager: one that %s', async (_, files, kind) => {
  expect(await examine('networkmanager', files, onEth0)).toMatchObject({ kind });
});
