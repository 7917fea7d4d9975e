import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod/mini';
import { isAlive } from '../../../src/engine/system/process/processes.ts';
import { askRuntimeApi } from '../../../src/haproxy/runtime-api.ts';
import { writeKubeconfig } from '../cluster.ts';
import { memoryOf } from '../process-tree.ts';
import { hawser } from '../supervisor-build.ts';
import { waitFor } from '../wait-for.ts';
import type { BedNode } from './bed-node.ts';
import { type BedProcess, sendSignal, waitForEnd } from './bed-process.ts';
import type { NodeStack } from './node-stack.ts';
import { templateWithAdverts } from './rare-adverts.ts';
import type { VrrpBed } from './vrrp-bed.ts';

/** The four programs of the two pods, named like their logs. */
export type HawserPart = 'haproxy' | 'haproxy-monitor' | 'keepalived' | 'keepalived-monitor';

export interface HawserStack extends NodeStack {
  /** The part as last started; undefined if it was never started. */
  part(node: BedNode, name: HawserPart): BedProcess | undefined;
  /** Does nothing if it is running. */
  startPart(node: BedNode, name: HawserPart): BedProcess;
}

export interface HawserStackOptions {
  /** Extra flags for a part. */
  readonly flags?: Readonly<Partial<Record<HawserPart, readonly string[]>>>;
  /** Text of a settings file that replaces the flags for the VIP and the cluster's name. The node's `config.yaml`. */
  readonly settings?: string;
  /** The folder of both templates; default: the project's. */
  readonly templates?: string;
  /** For keepalived.conf; default: as in the template. */
  readonly advertIntervalMs?: number;
  /** Goes in front of each part, and ends by executing it. */
  readonly prefix?: readonly string[];
  /** Extra prefix and flags for a single node, such as a journal's folder. */
  readonly own?: (node: BedNode, part: HawserPart) => Own;
}

const parts = ['haproxy', 'haproxy-monitor', 'keepalived-monitor', 'keepalived'] as const;

export interface Own {
  readonly prefix: readonly string[];
  readonly flags: readonly string[];
}

/** Both pods of every node, without a kubelet: a supervisor restarts its program, but nothing restarts a supervisor. */
export function createHawserStack(bed: VrrpBed, options: HawserStackOptions = {}): HawserStack {
  const started = new Map<string, BedProcess>();
  const part = (node: BedNode, name: HawserPart) => started.get(`${node.name}/${name}`);
  const startPart = (node: BedNode, name: HawserPart) => {
    const running = part(node, name);
    if (running !== undefined && isAlive(running.id)) return running;
    const own = options.own?.(node, name);
    const flags = [...(options.flags?.[name] ?? []), ...(own?.flags ?? [])];
    const prefix = [...(options.prefix ?? []), ...(own?.prefix ?? [])];
    const argv = [...prefix, hawser, ...argvOf(bed, node, name, options), ...flags];
    const process = node.start(name, argv);
    started.set(`${node.name}/${name}`, process);
    return process;
  };
  const start = async (node: BedNode) => {
    prepareNode(bed, node, options);
    if (options.settings !== undefined && !existsSync(node.at('config.yaml')))
      writeFileSync(node.at('config.yaml'), options.settings);
    for (const name of parts) startPart(node, name);
  };
  const idsOf = (node: BedNode, names: readonly HawserPart[]) =>
    names.flatMap((name) => part(node, name)?.id ?? []);
  return {
    part,
    startPart,
    start,
    restoreHaproxy: async (node) => void startPart(node, 'haproxy'),
    restoreKeepalived: async (node) => void startPart(node, 'keepalived'),
    keepalivedMain: (node) => idsOf(node, ['keepalived']),
    residentMb: (node) => ({
      supervisor: residentMb(part(node, 'keepalived')),
      monitor: residentMb(part(node, 'keepalived-monitor')),
    }),
    join: async (node, members) => {
      bed.setMembers(members);
      await start(node);
      const known = () => members.every((each) => takesPart(each) && knows(each, members));
      await waitFor('every node to know every other', known, 120_000);
    },
    leave: async (node, members) => {
      const leaving = idsOf(node, ['keepalived', 'keepalived-monitor']);
      sendSignal(leaving, 'SIGTERM');
      await waitForEnd(leaving);
      bed.setMembers(members);
      const forgotten = () => members.every((each) => knows(each, members));
      await waitFor('the others to forget the node', forgotten, 120_000);
      for (const each of members) await noLongerServed(each, node.name);
      node.killAll();
      forgetConfiguration(node);
    },
  };
}

const stateSchema = z.object({ instances: z.array(z.object({ state: z.string() })) });

/** True if the node's supervisor says that keepalived takes part, as holder or backup. */
export function takesPart(node: BedNode): boolean {
  try {
    const text = readFileSync(join(node.runDir, 'vrrp-state.json'), 'utf8');
    const { instances } = stateSchema.parse(JSON.parse(text));
    return instances.length > 0 && instances.every(({ state }) => ['BACKUP', 'MASTER'].includes(state));
  } catch {
    return false;
  }
}

function residentMb(process: BedProcess | undefined): number {
  return process === undefined ? 0 : memoryOf([process]).rss / 1_024;
}

const templates = fileURLToPath(new URL('../../../templates', import.meta.url));

/** Writes what install leaves on a node: templates and a kubeconfig. */
export function prepareNode(
  bed: VrrpBed,
  node: BedNode,
  { templates: from = templates, advertIntervalMs }: HawserStackOptions = {},
): void {
  mkdirSync(node.runDir, { recursive: true });
  for (const name of ['haproxy.cfg.ejs', 'keepalived.conf.ejs']) cpSync(`${from}/${name}`, node.at(name));
  if (advertIntervalMs !== undefined)
    writeFileSync(
      node.at('keepalived.conf.ejs'),
      templateWithAdverts(advertIntervalMs, `${from}/keepalived.conf.ejs`),
    );
  const host = node.address.includes(':') ? `[${node.address}]` : node.address;
  writeKubeconfig(node.at('kubeconfig'), `https://${host}:6443`, bed.authorityFile, bed.identity);
}

/** A node that joins later is a new machine: no part of an old configuration starts anything. */
export function forgetConfiguration(node: BedNode): void {
  const files = ['keepalived.conf', 'haproxy.cfg', 'vrrp-nodes.json', 'api-servers.json'];
  for (const path of [node.runDir, ...files.map(node.at)]) rmSync(path, { recursive: true, force: true });
}

/** True if the peers in keepalived.conf are exactly the other members. */
function knows(node: BedNode, members: readonly BedNode[]): boolean {
  const block = /unicast_peer \{([^}]*)\}/.exec(readFileSync(node.at('keepalived.conf'), 'utf8'))?.[1] ?? '';
  const peers = [...block.matchAll(/^\s*([0-9a-f.:]+)/gm)].map(([, address]) => address);
  const others = members.filter((each) => each !== node).map(({ address }) => address);
  return peers.sort().join() === others.sort().join();
}

/** While two generations of HAProxy overlap, either may answer: many answers in a row have to agree. */
async function noLongerServed(node: BedNode, server: string): Promise<void> {
  let equal = 0;
  await waitFor(`HAProxy of ${node.name} to forget ${server}`, async () => {
    const state = await askRuntimeApi(join(node.runDir, 'haproxy.sock'), 'show servers state', 1_000);
    equal = state === undefined || state.includes(` ${server} `) ? 0 : equal + 1;
    return equal >= 20;
  });
}

function argvOf(
  bed: VrrpBed,
  node: BedNode,
  name: HawserPart,
  { settings }: HawserStackOptions,
): readonly string[] {
  const given = (...flags: readonly string[]) =>
    settings === undefined ? flags : ['--settings', node.at('config.yaml')];
  const run = (file: string) => join(node.runDir, file);
  const inputs = (kind: 'haproxy' | 'keepalived') => {
    const suffix = kind === 'haproxy' ? 'cfg' : 'conf';
    return [node.at('kubeconfig'), node.at(`${kind}.${suffix}.ejs`), node.at(`${kind}.${suffix}`)];
  };
  const shared = ['--stats-socket', run('haproxy.sock'), '--state-file', run('server-state')];
  const haproxy = ['--socket', run('haproxy-master.sock'), ...shared];
  switch (name) {
    case 'haproxy':
      return [
        'haproxy',
        'supervise',
        ...haproxy,
        '--config',
        node.at('haproxy.cfg'),
        '--pid-file',
        run('haproxy.pid'),
        ...given(),
      ];
    case 'haproxy-monitor':
      return ['haproxy', 'monitor', ...inputs('haproxy'), ...haproxy, ...given('--api-vip', bed.vip)];
    case 'keepalived':
      return [
        ...['keepalived', 'supervise', '--config', node.at('keepalived.conf')],
        ...[...keepalivedPaths(node), ...given()],
      ];
    case 'keepalived-monitor':
      return [
        ...['keepalived', 'monitor', ...inputs('keepalived'), ...keepalivedPaths(node)],
        ...[...given('--api-vips', bed.vip, '--cluster-name', 'bed'), '--node-name', node.name],
      ];
  }
}

function keepalivedPaths(node: BedNode): readonly string[] {
  return ['--socket', join(node.runDir, 'keepalived.sock'), '--run-dir', node.runDir];
}
