import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleStandIn } from './api-server/bundle.ts';
import type { Faults } from './api-server/faults.ts';
import type { StoredObject } from './api-server/object-store.ts';
import { node } from './api-server/objects.ts';
import { createAuthority, type IssuedCertificate } from './certificates.ts';
import { endChild, startLogged } from './child.ts';
import { batch, createNetNamespace, type NetNamespace } from './net-namespace.ts';
import { waitFor } from './wait-for.ts';

const program = bundleStandIn();

/** A node of the cluster: an address on the namespace's only link, where an API server may listen on 6443. */
export interface ClusterNode {
  readonly name: string;
  readonly address: string;
}

export interface Cluster extends AsyncDisposable {
  readonly dir: string;
  readonly namespace: NetNamespace;
  readonly vip: string;
  readonly nodes: readonly ClusterNode[];
  /** The API servers' certificate: valid for every node's address and the VIP. */
  readonly serving: IssuedCertificate;
  /** Writes a kubeconfig that points at `server` and returns its path. */
  readonly kubeconfig: (server: string, name?: string) => string;
  /** Sets the objects of every API server. At first they are the control-plane Nodes of `nodes`. */
  readonly setObjects: (objects: readonly StoredObject[]) => void;
  /** Resolves once they are in force, if the node's server is running. */
  readonly setFaults: (node: ClusterNode, faults: Partial<Faults>) => Promise<void>;
  readonly startServer: (node: ClusterNode) => Promise<void>;
  /** SIGKILL: cuts its connections. */
  readonly killServer: (node: ClusterNode) => Promise<void>;
  /** `curl` inside the namespace, without verification; returns the body. */
  readonly get: (url: string) => Promise<string>;
}

/**
 * Up to nine API servers over TLS in one network namespace, each on its own address, and a VIP that this "node" holds.
 * Nothing runs until it is started; everything ends with the cluster.
 */
export async function createCluster(count: number): Promise<Cluster> {
  await using stack = new AsyncDisposableStack();
  const dir = mkdtempSync(join(tmpdir(), 'hawser-cluster-'));
  stack.defer(() => rmSync(dir, { recursive: true, force: true }));
  const namespace = stack.use(await createNetNamespace());
  const vip = '10.77.0.100';
  const nodes = Array.from({ length: count }, (_, index) => ({
    name: `cp-${index + 1}`,
    address: `10.77.0.1${index + 1}`,
  }));
  // A cable to nowhere: not every kernel has dummy devices.
  await batch(namespace, [
    'link add node0 type veth peer name nowhere0',
    'link set nowhere0 up',
    'link set node0 up',
    ...nodes.map(({ address }) => `address add ${address}/24 dev node0`),
    `address add ${vip}/32 dev node0`,
  ]);
  const authority = createAuthority(join(dir, 'pki'));
  const addresses = [...nodes.map(({ address }) => address), vip];
  const serving = authority.issue({ commonName: 'kube-apiserver', dnsNames: ['kubernetes'], addresses });
  const client = authority.issue({ commonName: 'hawser', organization: 'system:masters' });

  const running = new Map<string, ChildProcess>();
  const faults = new Map<string, Partial<Faults>>();
  let objects: readonly StoredObject[] = nodes.map(({ name, address }) => node(name, [address]));
  const stateFile = (name: string): string => join(dir, `${name}.json`);
  let revision = 0;
  const writeState = (name: string): string => {
    revision += 1;
    const state = { revision, objects, faults: faults.get(name) ?? {} };
    writeFileSync(stateFile(name), JSON.stringify(state));
    return `${JSON.stringify({ revision })}\n`;
  };
  const stop = async (name: string): Promise<void> => {
    const child = running.get(name);
    running.delete(name);
    if (child !== undefined) await endChild(child, 'SIGKILL');
  };
  stack.defer(async () => void (await Promise.all([...running.keys()].map(stop))));
  const owned = stack.move();
  return {
    dir,
    namespace,
    vip,
    nodes,
    serving,
    kubeconfig: (server, name = 'kubeconfig') =>
      writeKubeconfig(join(dir, name), server, authority.certFile, client),
    setObjects: (next) => {
      objects = next;
      for (const { name } of nodes) writeState(name);
    },
    setFaults: async ({ name }, next) => {
      faults.set(name, next);
      const told = writeState(name);
      if (!running.has(name)) return;
      const log = join(dir, `${name}.log`);
      await waitFor(`the faults of ${name}`, () => readFileSync(log, 'utf8').includes(told));
    },
    startServer: async ({ name, address }) => {
      writeState(name);
      const log = join(dir, `${name}.log`);
      const before = existsSync(log) ? readFileSync(log, 'utf8').length : 0;
      const child = startServer({ namespace, dir, name, address, stateFile: stateFile(name), serving });
      running.set(name, child);
      // Printed once it listens. Asking it would start a program each time.
      await waitFor(`${name} to listen`, () => readFileSync(log, 'utf8').slice(before).includes('{"port":'));
    },
    killServer: ({ name }) => stop(name),
    get: (url) => get(namespace, url),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function startServer(options: {
  readonly namespace: NetNamespace;
  readonly dir: string;
  readonly name: string;
  readonly address: string;
  readonly stateFile: string;
  readonly serving: IssuedCertificate;
}): ChildProcess {
  const flags = ['--host', options.address, '--port', '6443', '--state', options.stateFile, '--plain-http'];
  const tls = ['--cert', options.serving.certFile, '--key', options.serving.keyFile];
  const argv = [...options.namespace.prefix, process.execPath, program, ...flags, ...tls];
  return startLogged(argv, join(options.dir, `${options.name}.log`));
}

/** Empty if there is no answer. */
async function get(namespace: NetNamespace, url: string): Promise<string> {
  return await namespace.run('curl', '-sk', '--max-time', '10', url).catch(() => '');
}

export function writeKubeconfig(path: string, server: string, ca: string, client: IssuedCertificate): string {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server, 'certificate-authority': ca } }],
    users: [
      { name: 'hawser', user: { 'client-certificate': client.certFile, 'client-key': client.keyFile } },
    ],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'hawser' } }],
    'current-context': 'test',
  };
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
  return path;
}
