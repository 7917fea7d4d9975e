import { expect, test } from 'vitest';
import { settingsTyped } from '../../../src/cli/command-line.ts';
import { keepalivedMonitorCommand } from '../../../src/vip/settings/keepalived-monitor-settings.ts';

const positionals = ['/kubeconfig', '/template', '/etc/keepalived/keepalived.conf', '--api-vips', '10.0.0.5'];
const files = ['--peer-tls-ca', '/p/ca.crt', '--peer-tls-cert', '/p/tls.crt', '--peer-tls-key', '/p/tls.key'];

function peersOf(...flags: readonly string[]) {
  return settingsTyped(keepalivedMonitorCommand, [...positionals, ...flags], {}, () => undefined).peers;
}

test('without the files nothing is published', () => {
  expect(peersOf()).toBeUndefined();
});

test('with them it is shown at this node’s own address and the usual port', () => {
  expect(peersOf(...files)).toEqual({
    files: { ca: '/p/ca.crt', cert: '/p/tls.crt', key: '/p/tls.key' },
    host: undefined,
    port: 29_450,
  });
});

test.each([
  ['10.0.0.11', '10.0.0.11', 29_450],
  ['10.0.0.11:5', '10.0.0.11', 5],
  [':65535', undefined, 65_535],
  ['[FD00:0::1]', 'fd00::1', 29_450],
  ['[fd00::1]:5', 'fd00::1', 5],
  ['fd00::1', 'fd00::1', 29_450],
  ['0.0.0.0', '0.0.0.0', 29_450],
])('--peer-listen %s is %s port %i', (text, host, port) => {
  expect(peersOf(...files, '--peer-listen', text)).toMatchObject({ host, port });
});

test.each([
  '',
  ':',
  ':0',
  ':65536',
  '10.0.0.11:',
  '10.0.0:5',
  'localhost:5',
  '[::ffff:10.0.0.1]:5',
  '::ffff:10.0.0.1',
  '[]',
  '[]:5',
  '*:5',
])('--peer-listen "%s" is refused', (text) => {
  expect(() => peersOf(...files, '--peer-listen', text)).toThrow(
    `Cannot use --peer-listen "${text}": expected ADDRESS, ADDRESS:PORT or :PORT`,
  );
});

test('one file alone names the others, and an address without files names all', () => {
  expect(() => peersOf('--peer-tls-key', '/p/tls.key')).toThrow(
    'Cannot do without --peer-tls-ca: expected it beside --peer-tls-key\nCannot do without --peer-tls-cert',
  );
  expect(() => peersOf('--peer-listen', ':5')).toThrow(
    'without --peer-tls-ca, --peer-tls-cert and --peer-tls-key',
  );
});

test('a VIP is no address to be asked at: it moves', () => {
  expect(() => peersOf(...files, '--peer-listen', '10.0.0.5')).toThrow('"10.0.0.5": it is a VIP');
});
