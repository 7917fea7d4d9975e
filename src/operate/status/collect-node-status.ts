import { askProgram } from '../../engine/examine/ask-program.ts';
import type { FoundInstances, InstancePages } from '../../engine/examine/find-instances.ts';
import type { NamedInstance } from '../../engine/examine/seen.ts';
import type { PageAddress } from '../../engine/system/network/ask-page.ts';
import { instancedAmong } from './instances.ts';
import type { NodeStatus } from './node-status.ts';
import type { Limits, ProductStatus, ProgramStatus } from './product-status.ts';

/** Where a node's programs are asked. */
export interface StatusEndpoints {
  /** This node's name, where the group that it is in does not have it under another one. */
  readonly node: string;
  /** By the program's name; undefined where it serves no page (`--listen off`). */
  readonly pages: Readonly<Record<string, PageAddress | undefined>>;
  /** HAProxy's statistics, on loopback. */
  readonly statPort: number;
  /** Those that there are at this moment. */
  readonly instances: (limits: Limits) => Promise<FoundInstances>;
}

/** The name by which an instance's monitor says where HAProxy's statistics are. */
const STATISTICS = 'haproxy-statistics';

/** Longer answers of one program of an instance are none: all of a node's must fit into what its peers read. */
const INSTANCE_BYTES = 64 * 1024;

/** All are asked at once with this limit; a living program answers within a few milliseconds. */
export const ANSWER_WITHIN_MS = 250;

/** Everything that the products' programs of this node say at this moment; what is silent is null. Never rejects. */
export async function collectNodeStatus(
  places: StatusEndpoints,
  products: readonly ProductStatus[],
  signal: AbortSignal,
  timeoutMs = ANSWER_WITHIN_MS,
): Promise<NodeStatus> {
  const limits = { timeoutMs, signal };
  const base = { v: 1, at: new Date().toISOString(), node: places.node } as const;
  const asked = products.flatMap(({ programs }) => programs);
  const [said, { instances, leftOut }] = await Promise.all([
    ask(base, { ...places, asked, products }, limits),
    askInstances(base, places, instancedAmong(products), limits),
  ]);
  const names = products.map(({ nodeName }) => nodeName?.(said));
  const node = names.find((name) => name !== undefined) ?? places.node;
  const there = instances.filter(({ programs }) => programs.length > 0);
  return {
    ...{ ...said, node },
    ...(there.length > 0 && { instances: there }),
    ...(leftOut.length > 0 && { leftOut }),
  };
}

type Base = Pick<NodeStatus, 'v' | 'at' | 'node'>;

interface Asked extends Pick<StatusEndpoints, 'pages'> {
  readonly statPort: number | undefined;
  readonly asked: readonly ProgramStatus[];
  readonly products: readonly ProductStatus[];
}

async function ask(base: Base, { asked, products, ...places }: Asked, limits: Limits): Promise<NodeStatus> {
  const [answers, others] = await Promise.all([
    Promise.all(asked.map(({ name, schema }) => askProgram(name, places.pages[name], schema, limits))),
    Promise.all(products.map(({ others }) => others?.read(places, limits))),
  ]);
  const silent = products.flatMap(({ programs }) => programs).map(({ field }) => [field, null] as const);
  const said: NodeStatus = {
    ...base,
    programs: answers.map(({ program }) => program),
    ...Object.fromEntries(silent),
    ...Object.fromEntries(asked.map(({ field }, index) => [field, answers[index]?.status ?? null])),
  };
  const more = products.map((product, index) => product.others?.fields(others[index], said));
  return Object.assign(said, ...more);
}

async function askInstances(
  base: Base,
  places: Pick<StatusEndpoints, 'instances'>,
  products: readonly ProductStatus[],
  limits: Limits,
): Promise<{ readonly instances: readonly NamedInstance[]; readonly leftOut: readonly string[] }> {
  const { instances, leftOut } = await places.instances(limits);
  const asked = instances.map(async (each) => await askInstance(base, each, products, limits));
  return { instances: await Promise.all(asked), leftOut };
}

/** Of its programs only those that have announced a page are known. */
async function askInstance(
  base: Base,
  { name, pages }: InstancePages,
  products: readonly ProductStatus[],
  limits: Limits,
): Promise<NamedInstance> {
  const asked = products.flatMap(({ programs }) => programs).filter((program) => program.name in pages);
  const places = { pages, asked, products, statPort: pages[STATISTICS]?.port };
  const { v, at, node, ...said } = await ask(base, places, { ...limits, mostBytes: INSTANCE_BYTES });
  return { name, ...said };
}
