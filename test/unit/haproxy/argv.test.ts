import { expect, test } from 'vitest';
import { masterArgv } from '../../../src/haproxy/argv.ts';

const paths = {
  haproxy: '/usr/sbin/haproxy',
  config: '/etc/haproxy/haproxy.cfg',
  statsSocket: '/run/h/haproxy.sock',
  pidFile: '/run/h/haproxy.pid',
  stateFile: '/run/h/server-state',
};
const own = ['-S', '/run/h/g.sock,mode,600'];

test('a master runs in the foreground, with a private master socket', () => {
  const argv = masterArgv(paths, paths.config, { masterSocket: '/run/h/g.sock', takeOver: false });
  expect(argv).toEqual([
    ...['/usr/sbin/haproxy', '-W', '-db', '-f', '/etc/haproxy/haproxy.cfg', '-p', '/run/h/haproxy.pid'],
    ...own,
  ]);
});

test('a take-over fetches the listeners, and stops no process by itself', () => {
  const argv = masterArgv(paths, '/run/h/last-good', { masterSocket: '/run/h/g.sock', takeOver: true });
  expect(argv.slice(-4)).toEqual([...own, '-x', '/run/h/haproxy.sock']);
  expect(argv).toContain('/run/h/last-good');
  expect(argv).not.toContain('-sf');
});
