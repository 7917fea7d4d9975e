import { expect, test } from 'vitest';
import { haproxyMonitorCommand } from '../../../../src/api-lb/haproxy-monitor-settings.ts';
import { settingsTyped } from '../../../../src/cli/command-line.ts';
import { parseSettingsFile } from '../../../../src/cli/parse-settings-file.ts';
import { daemonKeys } from '../../../../src/commands/pods.ts';

const files = ['/kubeconfig', '/template', '/etc/haproxy/haproxy.cfg'];
const rke2 = { name: 'rke2', port: 9345, listenPort: 19_345, serverPort: 9345, check: 'https' };

function typed(extraPorts: string, ...more: readonly string[]) {
  const flags = [...files, `--extra-ports=${extraPorts}`, ...more];
  return settingsTyped(haproxyMonitorCommand, flags, {}, () => undefined).extraPorts;
}

function inFile(...lines: readonly string[]) {
  const text = ['haproxy:', '  extraPorts:', ...lines.map((line) => `    - ${line}`), ''].join('\n');
  const parsed = parseSettingsFile(text, 'F', daemonKeys);
  if (parsed.kind === 'problems') return parsed.problems;
  const file = { path: 'F', values: parsed.values };
  return settingsTyped(haproxyMonitorCommand, files, {}, () => file).extraPorts;
}

test('the settings file and the flag give the same ports, with the same defaults', () => {
  expect(typed('name=rke2 port=9345 check=https')).toEqual([rke2]);
  expect(inFile('{ name: rke2, port: 9345, check: https }')).toEqual([rke2]);
  expect(inFile('name=rke2 port=9345 check=https')).toEqual([rke2]);
  expect(typed('name=a port=443 serverPort=6443,name=b port=8132 listenPort=18000')).toEqual([
    { name: 'a', port: 443, listenPort: 10_443, serverPort: 6443, check: 'tcp' },
    { name: 'b', port: 8132, listenPort: 18_000, serverPort: 8132, check: 'tcp' },
  ]);
  expect(typed('')).toEqual([]);
});

test.each([
  ['{ name: rke2, port: 99999 }', 'F:2: Cannot use haproxy.extraPorts.0.port "99999": expected 1 to 65535'],
  ['{ name: R, port: 1 }', /extraPorts\.0\.name "R": expected a letter, then letters, digits and hyphens/],
  ['{ name: a, port: 1, check: http }', /extraPorts\.0\.check "http": expected tcp or https/],
  ['{ name: a }', /extraPorts\.0\.port \(nothing\): it is missing/],
  ['{ name: a, port: 1, prot: 2 }', /extraPorts\.0\.prot "2": unknown, expected one of name, port/],
  ['{ name: a, port: [1] }', /extraPorts .*expected a list of keys and values/],
  ['{ name: a b, port: 1 }', /extraPorts .*expected a list of keys and values/],
])('in the file "%s" is refused with its path and the expected form', (line, message) => {
  const problems = inFile(line);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(message);
});

test('entries with the same name, port or listenPort are refused, in the file and on the command line', () => {
  expect(() => typed('name=a port=1,name=a port=2')).toThrow(
    /--extra-ports\.1\.name .*: another entry has name a, expected each once/,
  );
  expect(inFile('{ name: a, port: 1 }', '{ name: b, port: 1, listenPort: 7 }')).toEqual([
    'F:2: Cannot use haproxy.extraPorts.1.port "1": another entry has port 1, expected each once',
  ]);
  expect(() => typed('name=a port=9345,name=b port=19345 listenPort=19345')).toThrow(/listenPort 19345/);
});

test('sixteen entries are accepted and seventeen are not', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => `name=p${index} port=${7_000 + index}`).join(',');
  expect(typed(many(16))).toHaveLength(16);
  expect(() => typed(many(17))).toThrow(/--extra-ports .*: 17 entries, expected at most 16/);
});

test.each([
  ['name=a port=6443', 'port 6443: it is apiPort'],
  ['name=a port=9444', 'port 9444: it is healthPort'],
  ['name=a port=9345 listenPort=9445', 'listenPort 9445: it is lbPort'],
  ['name=a port=443 serverPort=9445', 'serverPort 9445: it is lbPort'],
  ['name=a port=29448', "port 29448: it is the page of keepalived's supervisor"],
])('a port that hawser uses is refused: %s', (text, what) => {
  expect(() => typed(text)).toThrow(
    `Cannot use extraPorts.0.${what}, expected a port that hawser does not use`,
  );
});

test('HAProxy may not listen on a port that the servers use', () => {
  expect(() => typed('name=a port=443 serverPort=18132,name=b port=8132')).toThrow(
    'Cannot use extraPorts.1.listenPort 18132: servers of "a" listen there, expected a port of its own',
  );
});

test("on a worker HAProxy may listen on the port itself, but not on one of hawser's ports", () => {
  expect(typed('name=a port=9345 listenPort=9345', '--worker', '--lb-port=6443')[0]).toMatchObject({
    port: 9345,
    listenPort: 9345,
  });
  expect(() => typed('name=a port=9345 listenPort=6443', '--worker', '--lb-port=6443')).toThrow(
    /listenPort 6443: it is/,
  );
});
