import { askProgram } from '../../engine/examine/ask-program.ts';
import type { FoundInstances, InstancePages } from '../../engine/examine/find-instances.ts';
import type { NamedInstance } from '../../engine/examine/seen.ts';
import type { PageAddress } from '../../engine/system/network/ask-page.ts';
import { instancedAmong } from './instances.ts';
import type { NodeStatus } from './node-status.ts';
import { type Answers, answersHere } from './place.ts';
import type { Limits, ProductStatus, ProgramStatus } from './product-status.ts';

/** Where a node's programs are asked. */
export interface StatusEndpoints {
  /** This node's name, where the group that it is in does not have it under another one. */
  readonly node: string;
  /** By the name of each program that is asked; undefined where it serves no page (`--listen off`). */
  readonly pages: Readonly<Record<string, PageAddress | undefined>>;
  /** HAProxy's statistics, on loopback. */
  readonly statPort: number;
  /** Those that there are at this moment. */
  readonly instances: (limits: Limits) => Promise<FoundInstances>;
  /** hawser install was here: the programs of nodes are expected even where none of them answers. */
  readonly isInstalled: boolean;
}

/** The name by which an instance's monitor says where HAProxy's statistics are. */
const STATISTICS = 'haproxy-statistics';

/** Longer answers of one program of an instance are none: all of a node's must fit into what its peers read. */
const INSTANCE_BYTES = 64 * 1024;

/** All are asked at once with this limit. A program answers within a few milliseconds; on a starved node, within a second. */
export const ANSWER_WITHIN_MS = 1_000;

/** Everything that the products' programs of this node say at this moment; what is silent is null. Never rejects. */
export async function collectNodeStatus(
  places: StatusEndpoints,
  products: readonly ProductStatus[],
  signal: AbortSignal,
  timeoutMs = ANSWER_WITHIN_MS,
): Promise<NodeStatus> {
  const limits = { timeoutMs, signal };
  const base = { v: 1, at: new Date().toISOString(), node: places.node } as const;
  const asked = products.flatMap(({ programs }) => programs).filter(({ name }) => name in places.pages);
  const [found, { instances, leftOut }] = await Promise.all([
    ask(asked, products, places, limits),
    askInstances(base, places, instancedAmong(products), limits),
  ]);
  const elsewhere = new Set(instances.flatMap(({ programs }) => programs.map(({ name }) => name)));
  const answers = answersHere(found.answers, products, { isInstalled: places.isInstalled, elsewhere });
  const said = statusBy(base, { ...found, answers }, products);
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

interface Found {
  readonly answers: Answers;
  /** What each product reads besides, in their order. */
  readonly others: readonly unknown[];
}

async function ask(
  asked: readonly ProgramStatus[],
  products: readonly ProductStatus[],
  places: Pick<StatusEndpoints, 'pages'> & { readonly statPort: number | undefined },
  limits: Limits,
): Promise<Found> {
  const [answers, others] = await Promise.all([
    Promise.all(
      asked.map(async (each) => ({
        asked: each,
        ...(await askProgram(each.name, places.pages[each.name], each.schema, limits)),
      })),
    ),
    Promise.all(products.map(({ others }) => others?.read(places, limits))),
  ]);
  return { answers, others };
}

/** The fields of what runs in a pod of its own are there only where that is. */
function statusBy(base: Base, { answers, others }: Found, products: readonly ProductStatus[]): NodeStatus {
  const ofNodes = products.filter(({ home }) => home.kind === 'node').flatMap(({ programs }) => programs);
  const said: NodeStatus = {
    ...base,
    programs: answers.map(({ program }) => program),
    ...Object.fromEntries(ofNodes.map(({ field }) => [field, null])),
    ...Object.fromEntries(answers.map(({ asked, status }) => [asked.field, status])),
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
  const places = { pages, statPort: pages[STATISTICS]?.port };
  const found = await ask(asked, products, places, { ...limits, mostBytes: INSTANCE_BYTES });
  const { v, at, node, ...said } = statusBy(base, found, products);
  return { name, ...said };
}
