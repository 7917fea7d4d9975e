import { askProgram } from '../../engine/examine/ask-program.ts';
import type { PageAddress } from '../../engine/system/network/ask-page.ts';
import type { NodeStatus } from './node-status.ts';
import { answersHere } from './place.ts';
import type { ProductStatus } from './product-status.ts';

/** The pages of this node's programs. */
export interface StatusEndpoints {
  /** This node's name, where the group that it is in does not have it under another one. */
  readonly node: string;
  /** By the name of each program that is asked; undefined where it serves no page (`--listen off`). */
  readonly pages: Readonly<Record<string, PageAddress | undefined>>;
  /** HAProxy's statistics, on loopback. */
  readonly statPort: number;
  /** hawser install was here: the programs of nodes are expected even where none of them answers. */
  readonly isInstalled: boolean;
}

/** All are asked at once with this limit. A program answers within a few milliseconds; on a starved node, within a second. */
export const ANSWER_WITHIN_MS = 1_000;

/**
 * Everything that the products' programs of this node say at this moment; what is silent is null. The fields of what runs in a pod of
 * its own are there only where that is. Never rejects.
 */
export async function collectNodeStatus(
  places: StatusEndpoints,
  products: readonly ProductStatus[],
  signal: AbortSignal,
  timeoutMs = ANSWER_WITHIN_MS,
): Promise<NodeStatus> {
  const limits = { timeoutMs, signal };
  const at = new Date().toISOString();
  const asked = products.flatMap(({ programs }) => programs).filter(({ name }) => name in places.pages);
  const [answered, others] = await Promise.all([
    Promise.all(
      asked.map(async (each) => ({
        asked: each,
        ...(await askProgram(each.name, places.pages[each.name], each.schema, limits)),
      })),
    ),
    Promise.all(products.map(({ others }) => others?.read(places.statPort, limits))),
  ]);
  const answers = answersHere(answered, products, places.isInstalled);
  const ofNodes = products.filter(({ home }) => home.kind === 'node').flatMap(({ programs }) => programs);
  const said: NodeStatus = {
    ...{ at, node: places.node },
    programs: answers.map(({ program }) => program),
    ...Object.fromEntries(ofNodes.map(({ field }) => [field, null])),
    ...Object.fromEntries(answers.map(({ asked: { field }, status }) => [field, status])),
  };
  Object.assign(said, ...products.map((product, index) => product.others?.fields(others[index], said)));
  const names = products.map(({ nodeName }) => nodeName?.(said));
  return { ...said, node: names.find((name) => name !== undefined) ?? places.node };
}
