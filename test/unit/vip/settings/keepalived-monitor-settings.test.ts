import { expect, test } from 'vitest';
import { settingsTyped } from '../../../../src/cli/command-line.ts';
import { keepalivedMonitorCommand } from '../../../../src/vip/settings/keepalived-monitor-settings.ts';

const files = ['/kubeconfig', '/template', '/etc/keepalived/keepalived.conf'];

function settingsOf(...flags: readonly string[]) {
  return settingsTyped(keepalivedMonitorCommand, [...files, ...flags], {}, () => undefined);
}

test('settings reach the model, with addresses in canonical form', () => {
  const settings = settingsOf(
    ...['--api-vips', '10.0.0.5,FD00:0::5', '--ingress-vips', '10.0.0.6', '--node-ip', 'FD00:0::1'],
    ...['--virtual-router-ids', '77,78', '--interface', 'eth0', '--node-name', 'a'],
  );
  expect(settings).toMatchObject({
    apiVips: ['10.0.0.5', 'fd00::5'],
    ingressVips: ['10.0.0.6'],
    nodeName: 'a',
    nodeIp: 'fd00::1',
    interface: 'eth0',
    firstNode: false,
    virtualRouterIds: { api: 77, ingress: 78 },
    notifyFifo: '/var/run/keepalived/notify.fifo',
    trackFiles: { api: '/var/run/keepalived/lb.track', ingress: '/var/run/keepalived/ingress.track' },
  });
});

test('every problem is listed at once, with the value and what was expected', () => {
  const wrong = () =>
    settingsOf(...['--api-vips', '10.0.0.500', '--virtual-router-ids', '0,7', '--cluster-name', 'a b']);
  expect(wrong).toThrow(/--api-vips "10\.0\.0\.500": .*expected IPv4 or IPv6/);
  expect(wrong).toThrow(/--virtual-router-ids "0,7": .*expected 1 to 255/);
  expect(wrong).toThrow(/--cluster-name "a b"/);
});

test.each([
  ['no VIP at all', [], /expected at least one/],
  ['two of one family', ['--api-vips', '10.0.0.5,10.0.0.6'], /expected at most one IPv4 and one IPv6/],
  ['one VIP twice', ['--api-vips', '10.0.0.5', '--ingress-vips', '10.0.0.5'], /expected another one/],
  [
    'one id twice',
    ['--api-vips', '10.0.0.5', '--virtual-router-ids', '7,7'],
    /virtual router id "7" is used twice/,
  ],
])('refuses %s', (_what, flags, message) => {
  expect(() => settingsOf(...flags)).toThrow(message);
});
