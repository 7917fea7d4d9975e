import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, copyFileSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import type { PeerFiles } from '../../../../src/engine/peers/peer.ts';
import { connectSegment, createNetNamespace, type NetNamespace } from '../../../helpers/net-namespace.ts';
import { type PeerAuthority, peerAuthority, temporaryFolder } from '../../../helpers/peers/peer-files.ts';
import { nodeStatusSchema } from '../../../helpers/status-types.ts';
import { ensureBuilt, hawser } from '../../../helpers/supervisor-build.ts';
import { readLogEvents } from '../../../helpers/supervisor-process.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

ensureBuilt();

const template = fileURLToPath(new URL('../../../../templates/keepalived.conf.ejs', import.meta.url));
const nodes = 'cp-1=10.77.0.11,cp-2=10.77.0.12';
/** A monitor listens before it joins, and lets the others hear of it first. */
const PATIENCE_MS = 60_000;
const secrets = ['the-token-of-the-kubeconfig', 'the-word-of-the-template'];

interface Machine {
  readonly namespace: NetNamespace;
  readonly dir: string;
  /** The keepalived monitor of cp-1, alone: no supervisor, no HAProxy, no API. */
  readonly start: (...flags: readonly string[]) => ChildProcess;
  readonly events: (name: string) => readonly Record<string, unknown>[];
  /** What listens for others, `ADDRESS:PORT`. */
  readonly listening: () => Promise<readonly string[]>;
}

/** cp-1 with a monitor to start, and cp-2 on the same segment to ask from. */
async function segment(): Promise<{ readonly cp1: Machine; readonly cp2: NetNamespace }> {
  const stack = new AsyncDisposableStack();
  onTestFinished(async () => await stack.disposeAsync());
  const [one, two] = [stack.use(await createNetNamespace()), stack.use(await createNetNamespace())];
  stack.use(
    await connectSegment([
      { namespace: one, device: 'eth0', addresses: ['10.77.0.11/24'] },
      { namespace: two, device: 'eth0', addresses: ['10.77.0.12/24'] },
    ]),
  );
  return { cp1: machine(one, temporaryFolder()), cp2: two };
}

function machine(namespace: NetNamespace, dir: string): Machine {
  const log = join(dir, 'log');
  mkdirSync(join(dir, 'run'));
  mkdirSync(join(dir, 'peer'));
  copyFileSync(template, join(dir, 'keepalived.conf.ejs'));
  writeFileSync(join(dir, 'kubeconfig'), `token: ${secrets[0]}\n`);
  return {
    namespace,
    dir,
    start: (...flags) => {
      const [command, ...prefix] = namespace.prefix;
      const files = ['kubeconfig', 'keepalived.conf.ejs', 'keepalived.conf'].map((name) => join(dir, name));
      const place = ['--run-dir', join(dir, 'run'), '--socket', join(dir, 'run/keepalived.sock')];
      const group = [
        '--api-vips',
        '10.77.0.100',
        '--source',
        'static',
        '--servers',
        nodes,
        '--node-name',
        'cp-1',
      ];
      const argv = [
        ...prefix,
        hawser,
        'keepalived',
        'monitor',
        ...files,
        ...place,
        ...group,
        '--cluster-name',
        'test',
      ];
      const output = openSync(log, 'a');
      const child = spawn(command, [...argv, ...flags], { stdio: ['ignore', output, output] });
      closeSync(output);
      return child;
    },
    events: (name) => readLogEvents(log).filter(({ event }) => event === name),
    listening: async () => {
      const lines = (await namespace.run('ss', '-Hltn')).trim().split('\n');
      return lines.flatMap((line) => line.split(/\s+/)[3] ?? []).filter((each) => !each.startsWith('127.'));
    },
  };
}

function flagsFor({ ca, cert, key }: PeerFiles): readonly string[] {
  return ['--peer-tls-ca', ca, '--peer-tls-cert', cert, '--peer-tls-key', key];
}

/** A client with curl and without hawser. */
async function get(from: NetNamespace, { ca, cert, key }: PeerFiles, url: string): Promise<string> {
  const identity = ['--cacert', ca, '--cert', cert, '--key', key] as const;
  return await from.run('curl', '-sS', '--fail-with-body', '--max-time', '20', ...identity, url);
}

const ofNode = (authority: PeerAuthority, n: number): PeerFiles =>
  authority.filesFor({ commonName: `cp-${n}`, dnsNames: [`cp-${n}`], addresses: [`10.77.0.1${n}`] });

test('without certificates nothing listens beyond loopback', { timeout: 180_000 }, async () => {
  const { cp1 } = await segment();
  cp1.start();
  await waitFor(
    'the monitor to have a configuration',
    () => readFileSync(join(cp1.dir, 'keepalived.conf')),
    PATIENCE_MS,
  );
  expect(await cp1.listening()).toEqual([]);
});

test('with them a node of the group gets status and journal at the node’s own address, and nothing secret', {
  timeout: 180_000,
}, async () => {
  const { cp1, cp2 } = await segment();
  const authority = peerAuthority();
  const own = ofNode(authority, 1);
  writeFileSync(join(cp1.dir, 'keepalived.conf.ejs'), `# ${secrets[1]}\n${readFileSync(template, 'utf8')}`);
  const journal = join(cp1.dir, 'journal');
  cp1.start(...flagsFor(own), '--journal', journal, '--profile', 'openshift');
  await waitFor('it to listen', () => cp1.events('peer-status-served').length > 0, PATIENCE_MS);
  expect(await cp1.listening()).toEqual(['10.77.0.11:29450']);

  const client = ofNode(authority, 2);
  // Each program has a quarter of a second, which a busy machine may need several of.
  const status = await waitFor(
    'the monitor to be in time with what it knows',
    async () => {
      const text = await get(cp2, client, 'https://10.77.0.11:29450/status');
      return nodeStatusSchema.parse(JSON.parse(text)).keepalivedMonitor !== null && text;
    },
    PATIENCE_MS,
  );
  expect(nodeStatusSchema.parse(JSON.parse(status))).toMatchObject({
    node: 'cp-1',
    programs: [
      { name: 'haproxy-supervisor', state: 'silent' },
      { name: 'haproxy-monitor', state: 'silent' },
      { name: 'keepalived-supervisor', state: 'silent' },
      { name: 'keepalived-monitor', state: 'answers' },
    ],
    keepalivedMonitor: { clusterName: 'test', profile: 'openshift' },
  });
  const lines = await get(cp2, client, 'https://10.77.0.11:29450/journal');
  expect(lines).toContain('"event":"monitor-started"');

  // The password of VRRP 2 is a file's business, and so are keys.
  const conf = readFileSync(join(cp1.dir, 'keepalived.conf'), 'utf8');
  const password = /auth_pass (\S+)/.exec(conf)?.[1] ?? '';
  expect(password).not.toBe('');
  const keyLines = readFileSync(own.key, 'utf8')
    .split('\n')
    .filter((line) => line.length > 20);
  for (const secret of [...secrets, ...keyLines]) expect(status + lines).not.toContain(secret);
  expect(status + lines).not.toMatch(new RegExp(`\\b${password}\\b`));

  const page = await cp1.namespace.run('curl', '-s', 'http://127.0.0.1:29447/metrics');
  const [, expiry = '0'] = /^hawser_peer_certificate_expiry_timestamp_seconds (\S+)$/m.exec(page) ?? [];
  expect(Math.abs(Number(expiry) - (Date.now() / 1_000 + 86_400))).toBeLessThan(3_600);
});

test('a client that is in no list of nodes is refused, and logged', { timeout: 180_000 }, async () => {
  const { cp1, cp2 } = await segment();
  const authority = peerAuthority();
  cp1.start(...flagsFor(ofNode(authority, 1)));
  await waitFor('it to listen', () => cp1.events('peer-status-served').length > 0, PATIENCE_MS);
  const stranger = authority.filesFor({ commonName: 'cp-3', dnsNames: ['cp-3'] });
  await expect(get(cp2, stranger, 'https://10.77.0.11:29450/status')).rejects.toThrow(/403/);
  await waitFor('it to be told', () => cp1.events('peer-refused')[0], PATIENCE_MS);
  expect(cp1.events('peer-refused')).toMatchObject([
    { address: '10.77.0.12', reason: /is no node of the group$/ },
  ]);
});
