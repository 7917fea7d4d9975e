import { expect, test } from 'vitest';
import { haproxyMonitorCommand } from '../../../src/api-lb/haproxy-monitor-settings.ts';
import { settingsTyped } from '../../../src/cli/command-line.ts';

const files = ['/kubeconfig', '/template', '/etc/haproxy/haproxy.cfg'];

function settingsOf(...flags: readonly string[]) {
  return settingsTyped(haproxyMonitorCommand, [...files, ...flags], {}, () => undefined);
}

test('the defaults are the usual ports and paths', () => {
  expect(settingsOf()).toMatchObject({
    apiPort: 6443,
    lbPort: 9445,
    statPort: 29_445,
    healthPort: 9444,
    checkInterval: 6_000,
    settle: 500,
    source: 'nodes',
    vips: [],
    lastKnownPath: '/etc/haproxy/api-servers.json',
    listen: { host: '127.0.0.1', port: 29_446 },
  });
});

test('--api-vip and --api-vips are merged into unique canonical addresses', () => {
  const { vips } = settingsOf('--api-vip', '10.0.0.5', '--api-vips', 'FD00:0::5, 10.0.0.5');
  expect(vips).toEqual(['10.0.0.5', 'fd00::5']);
});

test('all problems are reported at once, with the value and the expected form', () => {
  const wrong = () =>
    settingsOf('--api-vip', '10.0.0.500', '--lb-port', '0', '--settle', '5', '--listen', 'localhost');
  expect(wrong).toThrow(/--api-vips "10\.0\.0\.500": .*expected IPv4 or IPv6/);
  expect(wrong).toThrow(/--lb-port "0": expected a whole number, 1 to 65535/);
  expect(wrong).toThrow(/--settle "5": expected a number with a unit/);
  expect(wrong).toThrow(/--listen "localhost": expected ADDRESS:PORT/);
});
