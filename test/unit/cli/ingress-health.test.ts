import { expect, test } from 'vitest';
import { settingsTyped } from '../../../src/cli/command-line.ts';
import { keepalivedMonitorCommand } from '../../../src/vip/settings/keepalived-monitor-settings.ts';

const files = ['/kubeconfig', '/template', '/etc/keepalived/keepalived.conf'];
const vips = ['--api-vips', '10.0.0.5', '--ingress-vips', '10.0.0.6'];

function settingsOf(...flags: readonly string[]) {
  return settingsTyped(keepalivedMonitorCommand, [...files, ...flags], {}, () => undefined);
}

test.each([
  [
    'http://localhost:1936/healthz/ready',
    { secure: false, host: '127.0.0.1', port: 1936, path: '/healthz/ready' },
  ],
  ['https://[FD00::0:1]/ok?full', { secure: true, host: 'fd00::1', port: 443, path: '/ok?full' }],
  ['http://10.0.0.1', { secure: false, host: '10.0.0.1', port: 80, path: '/' }],
])('%s is the URL at which the router is polled', (url, ingressHealth) => {
  expect(settingsOf(...vips, '--ingress-health', url)).toMatchObject({
    ingressHealth,
  });
});

test('ingress has its own track file, even without a URL', () => {
  expect(settingsOf(...vips).trackFiles).toEqual({
    api: '/var/run/keepalived/lb.track',
    ingress: '/var/run/keepalived/ingress.track',
  });
});

test.each([
  'localhost:1936',
  'ftp://10.0.0.1/',
  'http://router.example.com/',
  'http://user:word@10.0.0.1/',
  'http://10.0.0.1/#ready',
  'http://[::ffff:10.0.0.1]/',
])('%s is refused', (url) => {
  expect(() => settingsOf(...vips, '--ingress-health', url)).toThrow(
    `Cannot use --ingress-health "${url}": expected http(s)://ADDRESS`,
  );
});

test('the URL may not be at a VIP, and needs an ingress VIP', () => {
  const url = (host: string) => ['--ingress-health', `http://${host}:1936/`];
  expect(() => settingsOf(...vips, ...url('10.0.0.6'))).toThrow(/at 10\.0\.0\.6: it is a VIP, expected/);
  expect(() => settingsOf('--api-vips', '10.0.0.5', ...url('10.0.0.1'))).toThrow(/without --ingress-vips/);
});
