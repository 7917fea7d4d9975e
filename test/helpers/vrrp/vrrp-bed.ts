import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { node as nodeObject } from '../api-server/objects.ts';
import { createAuthority, type IssuedCertificate } from '../certificates.ts';
import { createNetNamespace, type NetNamespace } from '../net-namespace.ts';
import { watchAddresses } from './address-watch.ts';
import { type BedClient, startClient } from './bed-client.ts';
import { bedFolder } from './bed-folder.ts';
import { type BedNode, createBedNode } from './bed-node.ts';
import { AHEAD } from './bed-process.ts';
import { createSwitch } from './bed-switch.ts';
import { partitionsOf, powerOf } from './bed-trouble.ts';
import { type HoldingEvent, holdingsOf, type Stretch } from './holdings.ts';

/** Nodes and a client on one switch, each with its own network. Nothing runs on the nodes yet. */
export interface VrrpBed extends AsyncDisposable {
  readonly dir: string;
  readonly family: 'IPv4' | 'IPv6';
  readonly vip: string;
  readonly nodes: readonly BedNode[];
  /** The API servers' certificate: valid for every node's address, the VIP and localhost. */
  readonly serving: IssuedCertificate;
  readonly authorityFile: string;
  /** An administrator's. */
  readonly identity: IssuedCertificate;
  /** `{"objects": […]}` for every API server, as last written by `setMembers`. */
  readonly stateFile: string;
  /** Sets which nodes the API servers list, all as control plane. At first all are listed. */
  setMembers(nodes: readonly BedNode[]): void;
  /** Who took and lost the VIP, according to the kernel. */
  events(): readonly HoldingEvent[];
  /** Nodes that have the VIP on an interface now; a node without power has none. */
  holders(): readonly BedNode[];
  /** The client's machine. */
  readonly client: NetNamespace;
  /** Probes VIP:PORT from the client's machine. */
  startClient(port: number, timeoutMs?: number, gapMs?: number): Promise<BedClient>;
  /** Unplugs its network cable: no carrier on either side; everything keeps running. */
  unplug(node: BedNode): Promise<void>;
  plug(node: BedNode): Promise<void>;
  /** Unplugs the node and kills everything on it. Resolves with the time at which that began. */
  powerOff(node: BedNode): Promise<number>;
  /** The node is back as after a boot: no added addresses, an empty `runDir`, nothing running. */
  powerOn(node: BedNode): Promise<void>;
  /** From now on these reach only each other, and so do all others. */
  split(side: readonly (BedNode | 'client')[]): Promise<number>;
  /** Resolves with the time from which the network is whole. */
  heal(): Promise<number>;
  /** When the network was split, in order. */
  partitions(): readonly Stretch[];
}

export interface VrrpBedOptions {
  readonly family?: 'IPv4' | 'IPv6';
  /** Goes in front of the bed's own watchers instead of the default: a priority that starvation does not affect. */
  readonly watcher?: readonly string[];
}

/** Up to nine nodes, `cp-1` first. Needs root. Everything ends with the bed, or with this process. */
export async function createVrrpBed(count: number, options: VrrpBedOptions = {}): Promise<VrrpBed> {
  const stack = new AsyncDisposableStack();
  try {
    return await furnish(count, addressesOf(options.family ?? 'IPv4'), options.watcher ?? AHEAD, stack);
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

type Addresses = ReturnType<typeof addressesOf>;

function addressesOf(family: 'IPv4' | 'IPv6') {
  const [network, length] = family === 'IPv4' ? ['10.77.0.', 24] : ['fd77::', 64];
  return {
    family,
    vip: `${network}100`,
    client: `${network}200`,
    length,
    node: (n: number) => `${network}1${n}`,
  };
}

async function furnish(
  count: number,
  addresses: Addresses,
  watcher: readonly string[],
  stack: AsyncDisposableStack,
): Promise<VrrpBed> {
  const { family, vip } = addresses;
  const dir = bedFolder(stack);
  const events: HoldingEvent[] = [];
  const off = new Set<string>();
  const nodes: WatchedNode[] = [];
  for (let index = 1; index <= count; index += 1)
    nodes.push(await addNode(`cp-${index}`, addresses.node(index), dir, stack));
  const client = stack.use(await createNetNamespace());
  const machines = [...nodes, { namespace: client, address: addresses.client }];
  const network = await createSwitch(
    machines.map(({ namespace, address }) => ({
      namespace,
      device: 'eth0',
      addresses: [`${address}/${addresses.length}`],
    })),
  );
  stack.use(network.namespace);
  await watchHolders(
    nodes,
    vip,
    (event) => {
      events.push({ ...event, holds: event.holds && !off.has(event.node) });
    },
    watcher,
  );
  const power = powerOf(network, nodes, { vip, length: family === 'IPv4' ? 32 : 128, off, events });
  const stateFile = join(dir, 'cluster.json');
  const setMembers = (members: readonly BedNode[]) => writeMembers(stateFile, members);
  setMembers(nodes);
  return {
    dir,
    family,
    vip,
    nodes,
    ...identities(dir, [vip, ...nodes.map(({ address }) => address)]),
    stateFile,
    setMembers,
    events: () => events,
    holders: () => {
      // By the last event, whatever the clock says: a time may be a millisecond ahead.
      const names = holdingsOf(events).flatMap(({ node, toMs }) => (Number.isFinite(toMs) ? [] : node));
      return nodes.filter(({ name }) => names.includes(name));
    },
    client,
    startClient: async (port, timeoutMs, gapMs) =>
      stack.use(await startClient(client.prefix, vip, port, timeoutMs, gapMs)),
    ...power,
    ...partitionsOf(network, nodes),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function writeMembers(stateFile: string, members: readonly BedNode[]): void {
  const objects = members.map(({ name, address }) => nodeObject(name, [address]));
  writeFileSync(stateFile, JSON.stringify({ objects }));
}

type WatchedNode = BedNode & { readonly ours: number[] };

async function watchHolders(
  nodes: readonly WatchedNode[],
  vip: string,
  take: (event: HoldingEvent) => void,
  watcher: readonly string[],
): Promise<void> {
  for (const node of nodes) {
    const watch = await watchAddresses(
      node.namespace,
      ({ address, present, atMs }) => {
        if (address === vip) take({ node: node.name, holds: present, atMs });
      },
      watcher,
    );
    node.ours.push(watch.pid);
  }
}

async function addNode(
  name: string,
  address: string,
  parentDir: string,
  stack: AsyncDisposableStack,
): Promise<WatchedNode> {
  const namespace = stack.use(await createNetNamespace());
  const ours: number[] = [];
  return { ...createBedNode({ name, address, namespace, parentDir, ours: () => ours }), ours };
}

function identities(dir: string, addresses: readonly string[]) {
  const authority = createAuthority(join(dir, 'pki'));
  const serving = authority.issue({
    commonName: 'kube-apiserver',
    dnsNames: ['kubernetes', 'localhost'],
    addresses: [...addresses, '127.0.0.1'],
  });
  const identity = authority.issue({ commonName: 'hawser', organization: 'system:masters' });
  return { serving, identity, authorityFile: authority.certFile };
}
