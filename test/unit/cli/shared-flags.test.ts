import { expect, test } from 'vitest';
import { haproxyMonitorCommand } from '../../../src/api-lb/haproxy-monitor-settings.ts';
import { settingsTyped } from '../../../src/cli/command-line.ts';
import { haproxyReloadCommand } from '../../../src/haproxy/supervise/haproxy-client-settings.ts';
import { haproxySuperviseCommand } from '../../../src/haproxy/supervise/haproxy-supervise-settings.ts';

const files = ['/kubeconfig', '/template', '/etc/haproxy-b/haproxy.cfg'];
const noFile = () => undefined;

test('the name of an instance is in the folder of every default path', () => {
  const argv = ['--instance', 'b', '--listen', 'off'];
  const found = settingsTyped(haproxySuperviseCommand, argv, {}, noFile);
  expect(found).toMatchObject({
    config: '/etc/haproxy-b/haproxy.cfg',
    socket: '/var/run/haproxy-b/haproxy-master.sock',
    statsSocket: '/var/lib/haproxy-b/run/haproxy.sock',
    pidFile: '/var/lib/haproxy-b/run/haproxy.pid',
    stateFile: '/var/lib/haproxy-b/run/server-state',
    haproxy: '/usr/sbin/haproxy',
  });
});

test("an instance's supervisor is found by name, which may come from the container's environment", () => {
  const socket = '/var/run/haproxy-b/haproxy-master.sock';
  for (const [argv, env] of [
    [['--instance=b'], {}],
    [[], { HAWSER_INSTANCE: 'b' }],
  ] as const)
    expect(settingsTyped(haproxyReloadCommand, argv, env, noFile)).toMatchObject({ socket });
});

test('an explicit value stays unchanged', () => {
  const argv = ['--instance', 'b', '--listen', '127.0.0.1:1', '--config', '/srv/haproxy.cfg'];
  const found = settingsTyped(haproxySuperviseCommand, argv, {}, noFile);
  expect(found).toMatchObject({ config: '/srv/haproxy.cfg', listen: { port: 1 } });
});

test('an instance reads only an explicitly given settings file', () => {
  const asked: (string | undefined)[] = [];
  const read = (path: string | undefined) => {
    asked.push(path);
    return { path: '/b.yaml', values: { top: { lbPort: { value: '7', line: 1 } } } };
  };
  const argv = [...files, '--instance', 'b'];
  expect(settingsTyped(haproxyMonitorCommand, argv, {}, read).lbPort).toBe(9_445);
  expect(asked).toEqual([]);
  const found = settingsTyped(haproxyMonitorCommand, [...argv, '--settings=/b.yaml'], {}, read);
  expect({ asked, lbPort: found.lbPort }).toEqual({ asked: ['/b.yaml'], lbPort: 7 });
});

test.each(['', 'B', 'b_c', '-b', 'b-', '2b', 'b.c', '../b', 'b'.repeat(21)])(
  '"%s" is not the name of an instance',
  (name) => {
    const problem = `Cannot use --instance "${name}": expected a letter`;
    for (const more of [[], ['--listen', 'off']])
      expect(() => settingsTyped(haproxySuperviseCommand, ['--instance', name, ...more], {}, noFile)).toThrow(
        problem,
      );
  },
);
