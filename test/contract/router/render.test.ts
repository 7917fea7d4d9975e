import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as yaml from 'yaml';
import { hawserHere } from '../../helpers/hawser-here.ts';
import { fileFolder } from '../../helpers/test-folder.ts';

const folder = fileFolder();

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

async function render(list: readonly object[], out: string): Promise<unknown> {
  const file = join(folder, 'objects.yaml');
  writeFileSync(file, list.map((each) => yaml.stringify(each)).join('---\n'));
  const env = { ROUTER_SERVICE_HTTP_PORT: '8080', ROUTER_MAX_DYNAMIC_SERVERS: '5' };
  const { stdout } = await hawserHere('router render', ['--objects', file, '--out', out, '--json'], env);
  return JSON.parse(stdout);
}

async function explain(host: string, env: Readonly<Record<string, string>>): Promise<unknown> {
  const file = join(folder, 'explained.yaml');
  writeFileSync(file, objects.map((each) => yaml.stringify(each)).join('---\n'));
  return JSON.parse((await hawserHere('router explain', [host, '--objects', file, '--json'], env)).stdout);
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

test('hawser router render writes a valid configuration and prints the result for each route', async () => {
  const one = join(folder, 'one');
  expect(await render(objects, one)).toMatchObject({
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
  await render(objects.toReversed(), one);
  expect(filesOf(one)).toEqual(before);
});

test('hawser router render reports if no route belongs to this router', async () => {
  const file = join(folder, 'none.yaml');
  writeFileSync(file, yaml.stringify(route('first', 'shop.example.com', 1)));
  const argv = ['--objects', file, '--out', join(folder, 'none')];
  const { stdout } = await hawserHere('router render', argv, { NAMESPACE_LABELS: 'team=mine' });
  expect(stdout).toBe('no routes\n');
});

test.each([
  ['router explain', 'web.example.com'] as const,
  ['router render', '--out', join(folder, 'told')] as const,
])('hawser %s reports a variable without effect', async (name, ...argv) => {
  const objects = ['--objects', '/dev/null'];
  const { stderr } = await hawserHere(name, [...argv, ...objects], { COMMIT_INTERVAL: '1h' });
  expect(stderr).toContain('COMMIT_INTERVAL has no effect: ');
});

test('hawser router explain reads the same settings as hawser router render', async () => {
  const denied = { ROUTER_DENIED_DOMAINS: 'other.example.com' };
  expect(await explain('other.example.com', {})).toMatchObject({ answer: 'backend', route: 'shop:other' });
  expect(await explain('other.example.com', denied)).toMatchObject({
    answer: 'none',
    others: [{ route: 'shop:other', why: 'not admitted: RouteNotAdmitted: the host is in a denied domain' }],
  });
});

const missingPage = /\(ROUTER_ERRORFILE_404\) "\/missing\/page": ENOENT/;

test.each([
  ['router render', { ROUTER_CIPHERS: 'FOO' }, /HAProxy refuses the configuration: .*FOO/],
  ['router', { ROUTER_CIPHERS: 'FOO' }, /HAProxy refuses the configuration: .*FOO/],
  ['router render', { ROUTER_ERRORFILE_404: '/missing/page' }, missingPage],
  ['router explain', { ROUTER_ERRORFILE_404: '/missing/page' }, missingPage],
] as const)('hawser %s with %j exits with 2 and names the setting', async (name, env, words) => {
  const file = join(folder, 'wrong.yaml');
  writeFileSync(file, yaml.stringify(route('first', 'shop.example.com', 1)));
  const argv = {
    'router render': ['--objects', file, '--out', join(folder, 'wrong')],
    'router explain': ['shop.example.com', '--objects', file],
    router: ['--kubeconfig', join(folder, 'kubeconfig')],
  }[name];
  const { exitCode, stderr } = await hawserHere(name, argv, env);
  expect(stderr).toMatch(words);
  expect(exitCode).toBe(2);
});
