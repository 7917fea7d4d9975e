import { expect, test } from 'vitest';
import { settingsTyped } from '../../../src/cli/command-line.ts';
import { parseSettingsFile } from '../../../src/cli/parse-settings-file.ts';
import { daemonKeys } from '../../../src/commands/pods.ts';
import { ConfigError } from '../../../src/engine/system/errors.ts';
import { routerExplainCommand, routerRenderCommand } from '../../../src/router/settings/objects-settings.ts';
import { routerSettings } from '../../helpers/router/router-settings.ts';

function problemsOf(env: Readonly<Record<string, string>>): readonly string[] {
  try {
    routerSettings(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

test("without environment variables, the defaults are those of OpenShift's router", () => {
  expect(routerSettings()).toMatchObject({
    httpPort: 80,
    httpsPort: 443,
    ipMode: 'v4',
    maxConnections: 50_000,
    connectTimeout: 5_000,
    clientTimeout: 30_000,
    serverTimeout: 30_000,
    tunnelTimeout: 3_600_000,
    requestTimeout: 10_000,
    keepAliveTimeout: 300_000,
    balance: 'random',
    tcpBalance: 'source',
    forwardedHeaders: 'append',
    ciphers: 'intermediate',
    tlsMinVersion: 'TLSv1.2',
    mutualTls: 'none',
    bufferSize: 32_768,
    rewriteSize: 8_192,
    lookup: 'hash',
  });
});

test('a domain may have any case and a leading dot, and a pattern is refused', () => {
  const denied = (text: string) => routerSettings({ ROUTER_DENIED_DOMAINS: text }).deniedDomains;
  expect(denied('Example.COM,.apps.example.com')).toEqual(['example.com', 'apps.example.com']);
  expect(problemsOf({ ROUTER_DENIED_DOMAINS: '*.example.com' })).toEqual([
    expect.stringContaining('expected a domain such as apps.example.com'),
  ]);
});

test.each(['/var/a b', '/var/"a"', '/var/#a'])(
  'render refuses the folder %j, because HAProxy could not open it',
  (out) => {
    expect(() => settingsTyped(routerRenderCommand, ['--out', out], {}, () => undefined)).toThrow(
      'expected a path without spaces',
    );
  },
);

test.each(['https://a.example.com/x', '//a', ''])('explain does not accept %j as a host', (place) => {
  expect(() => settingsTyped(routerExplainCommand, [place], {}, () => undefined)).toThrow(
    'expected HOST or HOST/PATH',
  );
});

test("a time has any of HAProxy's units, or milliseconds by default, and is clipped", () => {
  const timeout = (text: string) => routerSettings({ ROUTER_DEFAULT_SERVER_TIMEOUT: text }).serverTimeout;
  expect(['5000', '5s', '1d', '100d', '900us'].map(timeout)).toEqual([
    5_000,
    5_000,
    86_400_000,
    2 ** 31 - 1,
    1,
  ]);
});

test('an empty variable is treated as unset', () => {
  expect(routerSettings({ ROUTER_SYSLOG_ADDRESS: '', ROUTER_MAX_CONNECTIONS: '' })).toMatchObject({
    syslogAddress: undefined,
    maxConnections: 50_000,
  });
});

test("a boolean may be any of the words that OpenShift's router accepts", () => {
  for (const word of ['true', 'TRUE', '1', 't'])
    expect(routerSettings({ ROUTER_USE_PROXY_PROTOCOL: word }).proxyProtocol).toBe(true);
  expect(routerSettings({ ROUTER_USE_PROXY_PROTOCOL: 'false' }).proxyProtocol).toBe(false);
});

test('the number of connections can be left to HAProxy, in the environment and in the settings file', () => {
  expect(routerSettings({ ROUTER_MAX_CONNECTIONS: 'auto' }).maxConnections).toBe('auto');
  const parsed = parseSettingsFile('router:\n  maxConnections: auto\n', 'F', daemonKeys);
  expect(parsed).toMatchObject({ kind: 'values' });
});

test('headers for all routes are decoded', () => {
  const { requestHeaders } = routerSettings({ ROUTER_HTTP_REQUEST_HEADERS: 'X-A:a%2Cb%3Ac:Set,X-B:Delete' });
  expect(requestHeaders).toEqual([
    { kind: 'set', name: 'X-A', value: 'a,b:c' },
    { kind: 'delete', name: 'X-B' },
  ]);
});

test('every invalid value is reported, and none can break a line of the configuration', () => {
  expect(
    problemsOf({
      ROUTER_DEFAULT_SERVER_TIMEOUT: '0s',
      ROUTER_MAX_CONNECTIONS: 'many',
      ROUTER_SYSLOG_ADDRESS: '127.0.0.1 local0\n  bind :1',
      ROUTER_SYSLOG_FORMAT: 'a\nb',
      ROUTER_HTTP_REQUEST_HEADERS: 'X-A:a%0Ab:Set',
    }),
  ).toEqual([
    'Cannot use ROUTER_MAX_CONNECTIONS "many": expected a whole number, 100 to 10000000, or auto',
    'Cannot use ROUTER_DEFAULT_SERVER_TIMEOUT "0s": expected a time such as 500ms, 30s or 1h, at least 1',
    'Cannot use ROUTER_HTTP_REQUEST_HEADERS "X-A:a%0Ab:Set": expected NAME:VALUE:Set or NAME:Delete, separated by commas and encoded as in a URL',
    'Cannot use ROUTER_SYSLOG_ADDRESS "127.0.0.1 local0\n  bind :1": expected a word without spaces and quotes',
    'Cannot use ROUTER_SYSLOG_FORMAT "a\nb": expected one line of text',
  ]);
});

test('both commands read the section "router" of the settings file; a flag or variable takes precedence', () => {
  const text = [
    ...['router:', '  maxConnections: 2000', '  serverTimeout: 7s', '  deniedDomains: [a.com, b.com]'],
    ...['  allowWildcards: true', '  balance: leastconn', ''],
  ].join('\n');
  const parsed = parseSettingsFile(text, 'F', daemonKeys);
  if (parsed.kind === 'problems') throw new Error(parsed.problems.join('\n'));
  const file = () => ({ path: 'F', values: parsed.values });
  const env = { ROUTER_DEFAULT_SERVER_TIMEOUT: '8s' };
  const expected = {
    maxConnections: 2_000,
    serverTimeout: 8_000,
    deniedDomains: ['a.com', 'b.com'],
    allowWildcards: true,
    balance: 'random',
  };
  const flags = ['--balance', 'random'];
  expect(settingsTyped(routerRenderCommand, [...flags, '--out', '/o'], env, file)).toMatchObject(expected);
  expect(settingsTyped(routerExplainCommand, [...flags, 'a.com'], env, file)).toMatchObject(expected);
});

test('the settings file accepts neither a key nor the flags of a single call', () => {
  for (const key of ['defaultCertificate', 'objects', 'out', 'scheme']) {
    const parsed = parseSettingsFile(`router:\n  ${key}: x\n`, 'F', daemonKeys);
    expect(parsed.kind).toBe('problems');
  }
});
