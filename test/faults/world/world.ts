import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Faults } from '../../helpers/api-server/faults.ts';
import { node as nodeObject } from '../../helpers/api-server/objects.ts';
import { type BedClient, startClient } from '../../helpers/vrrp/bed-client.ts';
import type { BedNode } from '../../helpers/vrrp/bed-node.ts';
import { createHawserStack, type HawserStack, prepareNode } from '../../helpers/vrrp/hawser.ts';
import { stackPorts } from '../../helpers/vrrp/node-stack.ts';
import { createVrrpBed, type VrrpBed } from '../../helpers/vrrp/vrrp-bed.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import type { Role } from '../generate/schedule.ts';
import { type Clocks, createClocks } from './clocks.ts';
import { type Keeper, type PartEvent, startKeeper } from './keeper.ts';
import { mountNodeDisk, mountSharedMemory } from './node-disk.ts';
import { keptJournals, wipeDisk } from './wiped-disk.ts';

/** Three complete nodes with a client, and the operations that faults use. */
export interface World extends AsyncDisposable {
  readonly bed: VrrpBed;
  readonly nodes: readonly BedNode[];
  readonly stack: HawserStack;
  readonly keeper: Keeper;
  readonly client: BedClient;
  readonly clocks: Clocks;
  /** Sets the faults of one node's API server; an empty object clears them. */
  setApiFaults(node: BedNode, faults: Partial<Faults>): void;
  /** Sets the nodes that every API server lists. */
  setMembers(members: readonly BedNode[]): void;
  powerOff(node: BedNode): Promise<void>;
  powerOn(node: BedNode): Promise<void>;
  /** Wipes the disk of a node that is powered off. Its journal is kept for the history. */
  wipe(node: BedNode): void;
  /** Installs and boots a new machine in place of one that was wiped. */
  install(node: BedNode): Promise<void>;
  /** The folders of its journals, including those of earlier machines under its name. */
  journals(node: BedNode): readonly string[];
  /** The nodes by their current role. Throws unless exactly one node holds the VIP. */
  roles(): Readonly<Record<Role, BedNode>>;
}

/** The client's timeout: twice the longest failover. */
export const CLIENT_TIMEOUT_MS = 1_000;
export const CLIENT_GAP_MS = 40;
const PATIENCE_MS = 120_000;

export async function openWorld(take: (event: PartEvent) => void): Promise<World> {
  const stack = new AsyncDisposableStack();
  try {
    return await furnish(stack.use(await createVrrpBed(3)), stack, take);
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

async function furnish(
  bed: VrrpBed,
  owned: AsyncDisposableStack,
  take: (event: PartEvent) => void,
): Promise<World> {
  const ending = new AbortController();
  const { nodes } = bed;
  // Not on the node's disk, which may be full.
  const clocks = createClocks(nodes, (node) => join(bed.dir, `${node.name}-clock`));
  const stack = createHawserStack(bed, { own: (node) => ownOf(node, clocks) });
  const api = createApi(bed, clocks);
  const keeper = startKeeper(
    (node, part) => {
      if (part === 'apiserver') return api.start(node);
      return stack.startPart(node, part);
    },
    take,
    ending.signal,
  );
  const powerOn = async (node: BedNode) => {
    await bed.powerOn(node);
    mkdirSync(node.runDir, { recursive: true });
    keeper.keep(node);
  };
  const kept = (node: BedNode) => join(bed.dir, 'journals', node.name);
  owned.defer(() => ending.abort());
  await mountSharedMemory(owned);
  for (const node of nodes) {
    await mountNodeDisk(node, join(bed.dir, 'logs'), owned);
    prepareNode(bed, node);
    keeper.keep(node);
  }
  await waitFor('a node to hold the VIP', () => bed.holders().length === 1, PATIENCE_MS);
  const client = owned.use(
    await startClient(bed.client.prefix, bed.vip, stackPorts.lb, CLIENT_TIMEOUT_MS, CLIENT_GAP_MS),
  );
  return {
    bed,
    nodes,
    stack,
    keeper,
    client,
    clocks,
    setApiFaults: api.setFaults,
    setMembers: api.setMembers,
    powerOff: async (node) => {
      keeper.leave(node);
      await bed.powerOff(node);
    },
    powerOn,
    wipe: (node) => wipeDisk(node, kept(node)),
    install: async (node) => {
      await node.namespace.run('nft', 'flush', 'ruleset');
      prepareNode(bed, node);
      await powerOn(node);
    },
    journals: (node) => [...keptJournals(kept(node)), node.at('journal')],
    roles: () => rolesOf(nodes, bed.holders()),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function rolesOf(nodes: readonly BedNode[], holders: readonly BedNode[]): Readonly<Record<Role, BedNode>> {
  const [holder, ...more] = holders;
  const [first, second] = nodes.filter((node) => node !== holder);
  if (holder === undefined || more.length > 0 || first === undefined || second === undefined)
    throw new Error(`Cannot tell the nodes apart: ${holders.length} of them hold the VIP, expected 1 of 3`);
  return { holder, 'backup-1': first, 'backup-2': second };
}

/** All nodes share this machine's host name, so each program gets its node's: journals identify nodes by it. The pid stays the same. */
const ownOf = (node: BedNode, clocks: Clocks) => ({
  flags: ['--journal', node.at('journal')],
  prefix: ['unshare', '--uts', 'sh', '-c', 'hostname "$0" && exec "$@"', node.name, ...clocks.prefix(node)],
});

const program = fileURLToPath(new URL('../../helpers/api-server/main.ts', import.meta.url));

/** One API server per node, each with its own state file, so that faults can differ between them. */
function createApi(bed: VrrpBed, clocks: Clocks) {
  let members: readonly BedNode[] = bed.nodes;
  const faults = new Map<string, Partial<Faults>>();
  // Not on the node's disk, which may be full.
  const stateFile = (node: BedNode) => join(bed.dir, `${node.name}-api.json`);
  const write = (node: BedNode) => {
    const objects = members.map(({ name, address }) => nodeObject(name, [address]));
    writeFileSync(stateFile(node), JSON.stringify({ objects, faults: faults.get(node.name) ?? {} }));
  };
  const tls = ['--cert', bed.serving.certFile, '--key', bed.serving.keyFile];
  return {
    start: (node: BedNode) => {
      write(node);
      const flags = ['--host', '::', '--port', String(stackPorts.api), '--state', stateFile(node)];
      return node.start('apiserver', [...clocks.prefix(node), process.execPath, program, ...flags, ...tls]);
    },
    setFaults: (node: BedNode, next: Partial<Faults>) => {
      faults.set(node.name, next);
      write(node);
    },
    setMembers: (next: readonly BedNode[]) => {
      members = next;
      for (const node of bed.nodes) write(node);
    },
  };
}
