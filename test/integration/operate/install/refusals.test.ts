import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { type Authority, createAuthority } from '../../../helpers/certificates.ts';
import { createInstallNode, type InstallNode, makeControlPlane } from '../../../helpers/install-node.ts';
import { addAddress, type NetNamespace } from '../../../helpers/net-namespace.ts';
import { hawser } from '../../../helpers/supervisor-build.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

let node: InstallNode;

beforeEach(async () => {
  node = await createInstallNode();
});

async function refusal(...flags: readonly string[]): Promise<string> {
  const result = await node.run('install', '--yes', ...flags);
  expect(result.exitCode).toBe(2);
  expect(node.tree().filter((path) => path.includes('hawser'))).toEqual([]);
  return result.stderr;
}

test.each([
  ['in no subnet', '10.9.9.9', /no interface has a subnet or a route with it, .*--interface names it/],
  ["the node's own address", '10.0.0.1', /this node's own address 10\.0\.0\.1\/24 on eth0/],
  ['the network address', '10.0.0.0', /network or broadcast address of 10\.0\.0\.1\/24/],
  ['the broadcast address', '10.0.0.255', /network or broadcast address/],
  ['loopback', '127.0.0.5', /other nodes cannot reach/],
  ['no address', '10.0.0.300', /is not an address/],
  ['two of one family', '10.0.0.100,10.0.0.101', /at most one IPv4 and one IPv6/],
])('a VIP that is %s', async (_what, vip, message) => {
  expect(await refusal('--api-vip', vip)).toMatch(message);
});

test('a VIP in no subnet is accepted if a named interface exists', async () => {
  expect(await refusal('--api-vip', '10.9.9.9', '--interface', 'eth7')).toMatch(/no interface "eth7"/);
  expect(await node.run('install', '--yes', '--api-vip', '10.9.9.9', '--interface', 'eth0')).toMatchObject({
    exitCode: 0,
  });
});

/** Listens until its namespace is removed; resolves once it listens. */
async function listen(namespace: NetNamespace, port: number, code: string, ...args: readonly string[]) {
  const script = `${code};server.listen(${port}, () => console.log('up'))`;
  const [command, ...prefix] = namespace.prefix;
  const child: ChildProcess = spawn(command, [...prefix, process.execPath, '-e', script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout?.on('data', (chunk) => (said += chunk));
  await waitFor('the listener', () => said.includes('up'));
  return child;
}

const plain = "const server=require('net').createServer((socket)=>socket.end('hello\\n'))";
const tls =
  "const fs=require('fs');const [cert,key]=process.argv.slice(1).map((f)=>fs.readFileSync(f));const server=require('tls').createServer({cert,key})";

test.each([
  ['lbPort', 9445],
  ['healthPort', 9444],
  ['haproxy.statPort', 29_445],
  ['keepalived.listen', 29_447],
])('%s is refused if another process listens on it, and the process is named', async (key, port) => {
  const child = await listen(node.namespace, port, plain);
  const message = await refusal('--api-vip', '10.0.0.100');
  expect(message).toMatch(
    new RegExp(`Cannot use ${key} ${port}: .*pid ${child.pid} listens there.*set ${key} in /etc/hawser`),
  );
});

test("the port of the supervisor's page is refused if it is in use, unless a patch sets another", async () => {
  const child = await listen(node.namespace, 29_448, plain);
  expect(await refusal('--api-vip', '10.0.0.100')).toMatch(
    new RegExp(
      `^Cannot use port 29448 for the page of keepalived's supervisor: .*pid ${child.pid} listens there`,
      'm',
    ),
  );
  const container = '{name: keepalived, args: [keepalived, supervise, --listen=127.0.0.1:29458]}';
  node.write('/etc/hawser/patches/keepalived.yaml', `spec: {containers: [${container}]}\n`);
  const flags = ['--api-vip', '10.0.0.100', '--patches', '/etc/hawser/patches'];
  expect(await node.run('install', '--yes', ...flags)).toMatchObject({ exitCode: 0 });
});

test('a port that is newly set on an installed node is refused if it is in use', async () => {
  await node.run('install', '--yes', '--api-vip', '10.0.0.100');
  await listen(node.namespace, 9445, plain);
  await listen(node.namespace, 9999, plain);
  node.write('/etc/hawser/config.yaml', `${node.read('/etc/hawser/config.yaml')}healthPort: 9999\n`);
  const result = await node.run('install', '--yes');
  // The listener on 9445 is assumed to be hawser's own HAProxy.
  expect(result).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/^Cannot use healthPort 9999: [^\n]*\n$/),
  });
});

test("the port of the supervisor's page is refused on an installed node if another program listens on it", async () => {
  expect(await node.install()).toMatchObject({ exitCode: 0 });
  const child = await listen(node.namespace, 29_448, plain);
  const { exitCode, stderr } = await node.run('install', '--yes');
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(new RegExp(`page of keepalived's supervisor: .*pid ${child.pid} listens there`));
});

test('an install over a running supervisor is not refused because of the port of its page', async () => {
  expect(await node.install()).toMatchObject({ exitCode: 0 });
  const at = (file: string) => join(node.root, file);
  const flags = ['--config', at('keepalived.conf'), '--socket', at('k.sock'), '--run-dir', at('run')];
  const [command, ...prefix] = node.namespace.prefix;
  spawn(command, [...prefix, hawser, 'keepalived', 'supervise', ...flags], { stdio: 'ignore' });
  const isThere = async () => (await node.namespace.run('ss', '-ltn')).includes(':29448');
  await waitFor('the page', isThere);
  expect(await node.run('install', '--yes')).toMatchObject({ exitCode: 0 });
});

test('a supervisor of this node that does not answer is only a notice: ending it would drop the VIP', async () => {
  expect(await node.install()).toMatchObject({ exitCode: 0 });
  const program = join(node.root, 'dist/hawser.mjs');
  mkdirSync(join(node.root, 'dist'));
  writeFileSync(program, "import { createServer } from 'node:net'; createServer().listen(29_448);");
  const [command, ...prefix] = node.namespace.prefix;
  spawn(command, [...prefix, process.execPath, program, 'keepalived', 'supervise'], { stdio: 'ignore' });
  const isThere = async () => (await node.namespace.run('ss', '-ltn')).includes(':29448');
  await waitFor('the port', isThere);
  const { exitCode, stdout, stderr } = await node.run('install', '--yes');
  expect({ exitCode, said: stdout + stderr }).toMatchObject({
    exitCode: 0,
    said: expect.stringContaining("port 29448 for the page of keepalived's supervisor"),
  });
});

test('problems with ports, the VIP and manifests are reported together', async () => {
  await listen(node.namespace, 9445, plain);
  node.write('/etc/kubernetes/manifests/haproxy.yaml', 'theirs: {}\n');
  node.write(
    '/etc/kubernetes/manifests/lb.yaml',
    'spec: {containers: [{name: lb, image: osixia/keepalived}]}\n',
  );
  const message = await refusal('--api-vip', '10.0.0.1');
  expect(message).toMatch(/haproxy\.yaml": hawser did not write it/);
  expect(message).toMatch(/lb\.yaml": it runs keepalived/);
  expect(message).toMatch(/lbPort 9445/);
  expect(message).toMatch(/own address/);
});

test.each([
  ['by a machine that refuses', undefined, /a machine with port 6443 closed has it/],
  ['by a server that does not speak TLS', plain, /does not speak TLS has it/],
])('a VIP held %s is refused', async (_what, code, message) => {
  await addAddress(node.neighbour, 'eth0', '10.0.0.100/24');
  if (code !== undefined) await listen(node.neighbour, 6443, code);
  expect(await refusal('--api-vip', '10.0.0.100')).toMatch(message);
});

test('a VIP whose holder drops every packet is probed once and found by its ARP answer', async () => {
  await addAddress(node.neighbour, 'eth0', '10.0.0.100/24');
  await node.neighbour.run(
    'nft',
    'table inet t { set asks { type inet_service; flags dynamic; }; chain in { type filter hook input priority 0; tcp dport 6443 add @asks { tcp sport } drop; } ; }',
  );
  expect(await refusal('--api-vip', '10.0.0.100')).toMatch(
    /a machine with the hardware address [0-9a-f:]{17} has it/,
  );
  const asks = JSON.parse(await node.neighbour.run('nft', '-j', 'list', 'set', 'inet', 't', 'asks'));
  expect(asks.nftables.at(-1).set.elem).toHaveLength(1);
});

test('an ingress VIP that is in use is refused', async () => {
  await addAddress(node.neighbour, 'eth0', '10.0.0.101/24');
  expect(await refusal('--api-vip', '10.0.0.100', '--ingress-vip', '10.0.0.101')).toMatch(
    /VIP "10\.0\.0\.101"/,
  );
});

/** Answers like the health port of the holder's HAProxy, with the name of its cluster. */
const named = (name: string) =>
  `const server=require('http').createServer((q,r)=>r.writeHead(q.url==='/hawser_cluster_name'?200:404).end('${name}'))`;

async function serveAt(authority: Authority) {
  await addAddress(node.neighbour, 'eth0', '10.0.0.100/24');
  const { certFile, keyFile } = authority.issue({ commonName: 'kube-apiserver', dnsNames: ['kubernetes'] });
  await listen(node.neighbour, 6443, tls, certFile, keyFile);
}

test("a VIP at which this cluster's API answers is the cluster's own", async () => {
  const authority = createAuthority(join(node.root, 'tmp'));
  makeControlPlane(node, authority.certFile);
  await serveAt(authority);
  await listen(node.neighbour, 9444, named('10-0-0-100'));
  const result = await node.run('install', '--yes', '--api-vip', '10.0.0.100');
  expect(result).toMatchObject({ exitCode: 0, stderr: '' });
  expect(result.stdout).toContain('notice: the cluster answers at 10.0.0.100');
});

test('another cluster at the VIP is refused, even if ours is known', async () => {
  makeControlPlane(node, createAuthority(join(node.root, 'ours')).certFile);
  await serveAt(createAuthority(join(node.root, 'theirs')));
  expect(await refusal('--api-vip', '10.0.0.100')).toMatch(
    /a TLS server with a certificate of "hawser test authority"/,
  );
});

test('before kubeadm join a node cannot tell whose VIP it is: --join decides', async () => {
  await serveAt(createAuthority(join(node.root, 'tmp')));
  await listen(node.neighbour, 9444, named('10-0-0-100'));
  expect(await refusal('--api-vip', '10.0.0.100')).toMatch(/if this node joins that cluster, use --join/);
  expect(await node.run('install', '--yes', '--api-vip', '10.0.0.100', '--join')).toMatchObject({
    exitCode: 0,
  });
  const again = await node.run('install', '--yes');
  expect(again).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('already up to date') });
});

test('a node that joins after a change of the VIP gets the virtual router id of the others', async () => {
  await serveAt(createAuthority(join(node.root, 'tmp')));
  // The holder's cluster had the VIP 192.0.2.7 when its first node was installed.
  await listen(node.neighbour, 9444, named('192-0-2-7'));
  expect(await node.run('install', '--yes', '--api-vip', '10.0.0.100', '--join')).toMatchObject({
    exitCode: 0,
    stderr: '',
  });
  expect(node.read('/etc/hawser/config.yaml')).toContain('clusterName: 192-0-2-7\n');
});

test("a node that joins with another cluster name than the holder's is refused", async () => {
  await serveAt(createAuthority(join(node.root, 'tmp')));
  await listen(node.neighbour, 9444, named('prod'));
  const flags = ['--api-vip', '10.0.0.100', '--join'];
  expect(await refusal(...flags, '--cluster-name', 'test')).toMatch(
    /Cannot use cluster name "test": the node that holds VIP 10\.0\.0\.100 has "prod".*--cluster-name prod/,
  );
  expect(await node.run('install', '--yes', ...flags, '--cluster-name', 'prod')).toMatchObject({
    exitCode: 0,
  });
});

test('a join that cannot learn the name says which flag to use, and accepts it', async () => {
  const flags = ['--api-vip', '10.0.0.100', '--join'];
  expect(await refusal(...flags)).toMatch(/nothing answers at VIP 10\.0\.0\.100; .*--cluster-name NAME/);
  await serveAt(createAuthority(join(node.root, 'tmp')));
  expect(await refusal(...flags)).toMatch(
    /Cannot determine the cluster's name: http:\/\/10\.0\.0\.100:9444\/hawser_cluster_name does not answer/,
  );
  await listen(node.neighbour, 9444, plain);
  expect(await refusal(...flags)).toMatch(/Cannot determine the cluster's name/);
  expect(await node.run('install', '--yes', ...flags, '--cluster-name', 'prod')).toMatchObject({
    exitCode: 0,
  });
});

test('the cluster name is kept when the VIP changes', async () => {
  await node.run('install', '--yes', '--api-vip', '10.0.0.100');
  await node.run('install', '--yes', '--api-vip', '10.0.0.200');
  expect(node.read('/etc/hawser/config.yaml')).toContain('clusterName: 10-0-0-100\n');
});
