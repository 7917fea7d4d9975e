import { expect, test } from 'vitest';
import { helpTyped, settingsTyped } from '../../../../src/cli/command-line.ts';
import { ConfigError } from '../../../../src/engine/system/errors.ts';
import {
  type HaproxySuperviseSettings,
  haproxySuperviseCommand,
} from '../../../../src/haproxy/supervise/haproxy-supervise-settings.ts';

function settings(argv: readonly string[], env: NodeJS.ProcessEnv = {}): HaproxySuperviseSettings {
  return settingsTyped(haproxySuperviseCommand, argv, env, () => undefined);
}

function problems(argv: readonly string[], env: NodeJS.ProcessEnv = {}): readonly string[] {
  try {
    settings(argv, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

test('the defaults match the original pods', () => {
  expect(settings([])).toEqual({
    config: '/etc/haproxy/haproxy.cfg',
    socket: '/var/run/haproxy/haproxy-master.sock',
    statsSocket: '/var/lib/haproxy/run/haproxy.sock',
    pidFile: '/var/lib/haproxy/run/haproxy.pid',
    stateFile: '/var/lib/haproxy/run/server-state',
    haproxy: '/usr/sbin/haproxy',
    drainTimeout: 55_000,
    forceDeleteTimeout: 120_000,
    startTimeout: 10_000,
    maxDraining: 50,
    dropSynDuringRestart: false,
    failForcedStop: false,
    listen: { host: '127.0.0.1', port: 29_449 },
    logLevel: 'info',
  });
});

test('a flag overrides its variable, which overrides the default', () => {
  const env = { HAWSER_STATS_SOCKET: '/run/variable.sock', HAWSER_DRAIN_TIMEOUT: '7s' };
  expect(settings([], env)).toMatchObject({ statsSocket: '/run/variable.sock', drainTimeout: 7_000 });
  expect(settings(['--stats-socket', '/run/flag.sock'], env).statsSocket).toBe('/run/flag.sock');
  // A flag with the default value is still a flag.
  expect(settings(['--drain-timeout', '55s'], env).drainTimeout).toBe(55_000);
});

test.each<[string, readonly string[], NodeJS.ProcessEnv, number]>([
  ['the old variable, in parts of a second', [], { OLD_HAPROXY_PS_FORCE_DEL_TIMEOUT: '1.5' }, 1_500],
  ['the old variable, in seconds', [], { OLD_HAPROXY_PS_FORCE_DEL_TIMEOUT: '30' }, 30_000],
  [
    'our variable before the old one',
    [],
    { OLD_HAPROXY_PS_FORCE_DEL_TIMEOUT: '30', HAWSER_FORCE_DELETE_TIMEOUT: '40s' },
    40_000,
  ],
  ['never, as long as a timer can hold', ['--force-delete-timeout', 'never'], {}, 2 ** 31 - 1],
  [
    'the flag before both',
    ['--force-delete-timeout', '1m'],
    { OLD_HAPROXY_PS_FORCE_DEL_TIMEOUT: '30' },
    60_000,
  ],
  [
    'the default where the old variable is empty, as for the shell',
    [],
    { OLD_HAPROXY_PS_FORCE_DEL_TIMEOUT: '' },
    120_000,
  ],
])('how long a replaced generation may drain: %s', (_, argv, env, expected) => {
  expect(settings(argv, env).forceDeleteTimeout).toBe(expected);
});

test.each<[string, readonly string[], NodeJS.ProcessEnv, number]>([
  ['as for its reload script', [], { ROUTER_MAX_SHUTDOWN_TIMEOUT: '40' }, 40_000],
  ['as for its HAProxy in a container', [], { HAPROXY_MAX_SHUTDOWN_TIMEOUT: '20' }, 20_000],
  [
    'the container first',
    [],
    { ROUTER_MAX_SHUTDOWN_TIMEOUT: '40', HAPROXY_MAX_SHUTDOWN_TIMEOUT: '20' },
    20_000,
  ],
  [
    'our variable before both',
    [],
    { ROUTER_MAX_SHUTDOWN_TIMEOUT: '40', HAPROXY_MAX_SHUTDOWN_TIMEOUT: '20', HAWSER_DRAIN_TIMEOUT: '7s' },
    7_000,
  ],
  ['the flag before all', ['--drain-timeout', '1m'], { ROUTER_MAX_SHUTDOWN_TIMEOUT: '40' }, 60_000],
  ['our default where it is empty', [], { ROUTER_MAX_SHUTDOWN_TIMEOUT: '' }, 55_000],
])(
  "how long connections may last after SIGTERM, with openshift-router's variables: %s",
  (_, argv, env, expected) => {
    expect(settings(argv, env).drainTimeout).toBe(expected);
  },
);

test.each(['2m', '-1', 'soon'])("openshift-router's variable accepts no unit: %s", (text) => {
  expect(() => settings([], { ROUTER_MAX_SHUTDOWN_TIMEOUT: text })).toThrow(
    `Cannot use ROUTER_MAX_SHUTDOWN_TIMEOUT "${text}": expected a number of seconds`,
  );
});

test.each(['2m', '2ms', 'soon'])('the old variable accepts no unit: %s', (text) => {
  expect(() => settings([], { OLD_HAPROXY_PS_FORCE_DEL_TIMEOUT: text })).toThrow(
    'expected a number of seconds',
  );
});

test('all problems are reported together, each with its flag and value', () => {
  const found = problems([
    ...['--config', 'haproxy.cfg', '--socket', `/${'x'.repeat(120)}`, '--drain-timeout', 'soon'],
    ...['--log-level', 'loud'],
  ]);
  expect(found).toEqual([
    'Cannot use --config "haproxy.cfg": expected an absolute path',
    expect.stringContaining('expected at most 90 bytes'),
    'Cannot use --drain-timeout "soon": expected a number with a unit, such as 500ms, 55s or 2m',
    'Cannot use --log-level "loud": expected debug, info, warn or error',
  ]);
});

test('an unknown flag and an extra word are problems', () => {
  expect(problems(['--nonsense'])[0]).toContain("'--nonsense'");
  expect(problems(['word'])[0]).toContain('too many arguments');
  expect(problems(['--config'])[0]).toContain('argument missing');
});

test('help lists every flag with its variable, and the exit codes', () => {
  const text = helpTyped(haproxySuperviseCommand, ['--help']) ?? '';
  expect(text.replaceAll(/\s+/g, ' ')).toContain('[HAWSER_STATS_SOCKET]');
  expect(text).toContain('Exit codes: 0 stopped on request, 1 runtime failure');
});
