import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import * as yaml from 'yaml';
import { hawser } from '../../helpers/supervisor-build.ts';

const folder = mkdtempSync(join(tmpdir(), 'hawser-render-'));
afterAll(() => rmSync(folder, { recursive: true }));

const route = (name: string, host: string, second: number) => ({
  apiVersion: 'route.openshift.io/v1',
  kind: 'Route',
  metadata: { name, namespace: 'shop', uid: name, creationTimestamp: `2026-01-01T00:00:0${second}Z` },
  spec: {
    host,
    to: { kind: 'Service', name: 'web' },
    tls: { termination: 'edge', insecureEdgeTerminationPolicy: 'Redirect' },
  },
});
const objects = [
  route('first', 'shop.example.com', 1),
  route('second', 'shop.example.com', 2),
  route('other', 'other.example.com', 3),
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'shop' },
    spec: { ports: [{ name: 'http', port: 80, targetPort: 8080 }] },
  },
  {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    addressType: 'IPv4',
    metadata: { name: 'web-1', namespace: 'shop', labels: { 'kubernetes.io/service-name': 'web' } },
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    endpoints: ['10.1.0.2', '10.1.0.1'].map((address) => ({
      addresses: [address],
      conditions: { ready: true },
      targetRef: { kind: 'Pod', name: `pod-${address.at(-1)}` },
    })),
  },
];

function render(list: readonly object[], out: string): string {
  const file = join(folder, 'objects.yaml');
  writeFileSync(file, list.map((each) => yaml.stringify(each)).join('---\n'));
  const env = { ...process.env, ROUTER_SERVICE_HTTP_PORT: '8080', ROUTER_MAX_DYNAMIC_SERVERS: '5' };
  return execFileSync(hawser, ['router', 'render', '--objects', file, '--out', out, '--json'], {
    env,
    encoding: 'utf8',
  });
}

function explain(list: readonly object[], host: string, more: NodeJS.ProcessEnv): unknown {
  const file = join(folder, 'explained.yaml');
  writeFileSync(file, list.map((each) => yaml.stringify(each)).join('---\n'));
  const { stdout } = spawnSync(hawser, ['router', 'explain', host, '--objects', file, '--json'], {
    env: { ...process.env, ...more },
    encoding: 'utf8',
  });
  return JSON.parse(stdout);
}

function filesOf(out: string): Readonly<Record<string, string>> {
  const names = readdirSync(out, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    names
      .map(({ parentPath, name }) => {
        const path = join(parentPath, name);
        return [path.slice(out.length), readFileSync(path, 'utf8').replaceAll(out, 'OUT')] as const;
      })
      .sort(),
  );
}

test('hawser router render writes what HAProxy takes, the same for any order of objects, and says what became of each route', () => {
  const one = join(folder, 'one');
  const report: unknown = JSON.parse(render(objects, one));
  expect(report).toMatchObject({
    routes: [
      { key: 'shop:first', admitted: true },
      { key: 'shop:other', admitted: true },
      { key: 'shop:second', admitted: false, reason: 'HostAlreadyClaimed' },
    ],
  });
  execFileSync('haproxy', ['-c', '-f', join(one, 'haproxy.cfg')]);
  expect(readFileSync(join(one, 'haproxy.cfg'), 'utf8')).toMatch(
    /bind 0\.0\.0\.0:8080\n[\s\S]*backend be_edge_http:shop:first from http-append\n[\s\S]*10\.1\.0\.1:8080/,
  );
  expect(statSync(join(one, 'certs/_default.pem')).mode & 0o777).toBe(0o600);
  const before = filesOf(one);
  render(objects.toReversed(), one);
  expect(filesOf(one)).toEqual(before);
});

test('hawser router render says so if no route belongs to this router', () => {
  const file = join(folder, 'none.yaml');
  writeFileSync(file, yaml.stringify(route('first', 'shop.example.com', 1)));
  const argv = ['router', 'render', '--objects', file, '--out', join(folder, 'none')];
  const { stdout } = spawnSync(hawser, argv, {
    env: { ...process.env, NAMESPACE_LABELS: 'team=mine' },
    encoding: 'utf8',
  });
  expect(stdout).toBe('no routes\n');
});

test.each([['explain', 'web.example.com'] as const, ['render', '--out', join(folder, 'told')] as const])(
  'hawser router %s names a variable without effect',
  (...command) => {
    const { stderr } = spawnSync(hawser, ['router', ...command, '--objects', '-'], {
      ...{ encoding: 'utf8', input: '' },
      env: { ...process.env, COMMIT_INTERVAL: '1h' },
    });
    expect(stderr).toContain('COMMIT_INTERVAL has no effect: ');
  },
);

test('hawser router explain reads the settings that hawser router render reads', () => {
  const denied = { ROUTER_DENIED_DOMAINS: 'other.example.com' };
  expect(explain(objects, 'other.example.com', {})).toMatchObject({ answer: 'backend', route: 'shop:other' });
  expect(explain(objects, 'other.example.com', denied)).toMatchObject({
    answer: 'none',
    others: [{ route: 'shop:other', why: 'not admitted: RouteNotAdmitted: the host is in a denied domain' }],
  });
});

test.each([
  ['render', { ROUTER_CIPHERS: 'FOO' }, /HAProxy refuses the configuration: .*FOO/],
  ['live', { ROUTER_CIPHERS: 'FOO' }, /HAProxy refuses the configuration: .*FOO/],
  ['render', { ROUTER_ERRORFILE_404: '/missing/page' }, /\(ROUTER_ERRORFILE_404\) "\/missing\/page": ENOENT/],
  [
    'explain',
    { ROUTER_ERRORFILE_404: '/missing/page' },
    /\(ROUTER_ERRORFILE_404\) "\/missing\/page": ENOENT/,
  ],
])('hawser router, %s, with %j ends with 2 and names the setting', (what, env, words) => {
  const file = join(folder, 'wrong.yaml');
  writeFileSync(file, yaml.stringify(route('first', 'shop.example.com', 1)));
  const argv = {
    render: ['render', '--objects', file, '--out', join(folder, 'wrong')],
    explain: ['explain', 'shop.example.com', '--objects', file],
    live: ['--kubeconfig', join(folder, 'kubeconfig')],
  }[what];
  const all = { ...process.env, ...env };
  const { status, stderr } = spawnSync(hawser, ['router', ...(argv ?? [])], { env: all, encoding: 'utf8' });
  expect(stderr).toMatch(words);
  expect(status).toBe(2);
});
