import { expect, test } from 'vitest';
import { settingsTyped } from '../../../../src/cli/command-line.ts';
import { ConfigError } from '../../../../src/engine/system/errors.ts';
import {
  routerExplainCommand,
  routerRenderCommand,
} from '../../../../src/router/settings/objects-settings.ts';
import { routerCommand } from '../../../../src/router/settings/router-command.ts';

const inPod = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };
const settings = (env: Readonly<Record<string, string>>) =>
  settingsTyped(routerCommand, [], { ...inPod, ...env }, () => undefined);
const offline = {
  render: (env: Readonly<Record<string, string>>) =>
    settingsTyped(routerRenderCommand, ['--objects', '-', '--out', '/tmp/out'], env, () => undefined),
  explain: (env: Readonly<Record<string, string>>) =>
    settingsTyped(routerExplainCommand, ['a.test', '--objects', '-'], env, () => undefined),
};

function problemsOf(
  env: Readonly<Record<string, string>>,
  read: (env: Readonly<Record<string, string>>) => unknown = settings,
): readonly string[] {
  try {
    read(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

test.each([
  ['STATS_USERNAME', 'admin', '--stats-username has no password'],
  ['STATS_USERNAME_FILE', '/etc/user', '--stats-username has no password'],
  ['STATS_PASSWORD', 'secret', '--stats-password has no user'],
  ['STATS_PASSWORD_FILE', '/etc/password', '--stats-password has no user'],
])('%s alone is refused: no other machine could read the metrics', (name, value, problem) => {
  expect(problemsOf({ [name]: value })).toEqual([
    `Cannot protect /metrics: ${problem}, expected STATS_USERNAME and STATS_PASSWORD, or a file of each (STATS_USERNAME_FILE, STATS_PASSWORD_FILE)`,
  ]);
});

test.each([
  ['ROUTER_METRICS_TLS_CERT_FILE', '--metrics-tls-cert-file (ROUTER_METRICS_TLS_CERT_FILE) has no key'],
  ['ROUTER_METRICS_TLS_KEY_FILE', '--metrics-tls-key-file (ROUTER_METRICS_TLS_KEY_FILE) has no certificate'],
])('%s alone is refused: the password would be sent in clear text', (name, problem) => {
  expect(problemsOf({ [name]: '/etc/tls' })).toEqual([
    `Cannot serve the page over TLS: ${problem}, expected both files`,
  ]);
});

test("the page's minimum TLS version may have Go's name", () => {
  const version = (text: string) => settings({ ROUTER_METRICS_TLS_MIN_VERSION: text }).metricsTlsMinVersion;
  expect(['', 'TLSv1.3', 'VersionTLS12'].map(version)).toEqual(['TLSv1.2', 'TLSv1.3', 'TLSv1.2']);
  expect(problemsOf({ ROUTER_METRICS_TLS_MIN_VERSION: 'TLSv1.4' })).toEqual([
    'Cannot use ROUTER_METRICS_TLS_MIN_VERSION "TLSv1.4": expected TLSv1.0, TLSv1.1, TLSv1.2 or TLSv1.3',
  ]);
});

test.each([
  [{}],
  [{ STATS_USERNAME: 'admin', STATS_PASSWORD: 'secret' }],
  [{ STATS_USERNAME: 'admin', STATS_PASSWORD_FILE: '/etc/password' }],
  [{ STATS_USERNAME: '', STATS_PASSWORD: '' }],
])('%j is valid', (env) => {
  expect(problemsOf(env)).toEqual([]);
});

test.each([
  [{}, { host: '0.0.0.0', port: 1_936 }],
  [{ STATS_PORT: '1' }, { host: '0.0.0.0', port: 1 }],
  [{ ROUTER_LISTEN_ADDR: ':1937' }, { host: '0.0.0.0', port: 1_937 }],
  [{ ROUTER_LISTEN_ADDR: '127.0.0.1:1937' }, { host: '127.0.0.1', port: 1_937 }],
  [{ ROUTER_LISTEN_ADDR: '[::]:1937' }, { host: '::', port: 1_937 }],
])('with %j the page is at %j', (env, listen) => {
  expect(settings(env).listen).toEqual(listen);
});

test.each([':', ':0', ':70000', '::1936', 'localhost:1936', '1936'])('the page cannot be at %j', (text) => {
  expect(problemsOf({ ROUTER_LISTEN_ADDR: text })).toEqual([
    `Cannot use ROUTER_LISTEN_ADDR "${text}": expected ADDRESS:PORT, such as 127.0.0.1:1936, or :1936 for all addresses`,
  ]);
});

test.each([
  ['the router', settings],
  ['render', offline.render],
  ['explain', offline.explain],
])('--override-hostname without a host is refused by %s', (_name, read) => {
  expect(problemsOf({ ROUTER_OVERRIDE_HOSTNAME: 'true' }, read)).toEqual([
    'Cannot use --override-hostname (ROUTER_OVERRIDE_HOSTNAME): no host is configured, expected --subdomain (ROUTER_SUBDOMAIN)',
  ]);
  const subdomain = { ROUTER_SUBDOMAIN: '$name.apps.example.com' };
  expect(problemsOf({ ROUTER_OVERRIDE_HOSTNAME: 'true', ...subdomain }, read)).toEqual([]);
});

test.each([
  ['http://localhost:8080/ready?a', { host: '127.0.0.1', port: 8_080, path: '/ready?a' }],
  ['http://[::1]', { host: '::1', port: 80, path: '/' }],
])('%j is polled for readiness', (text, page) => {
  expect(settings({ ROUTER_METRICS_READY_HTTP_URL: text }).readyUrl).toEqual(page);
});

test.each(['https://127.0.0.1/', 'http://router.example.com/', '127.0.0.1:80'])(
  '%j cannot be polled for readiness',
  (text) => {
    expect(problemsOf({ ROUTER_METRICS_READY_HTTP_URL: text })).toEqual([
      `Cannot use ROUTER_METRICS_READY_HTTP_URL "${text}": expected http://ADDRESS:PORT/PATH, with an address or localhost`,
    ]);
  },
);
