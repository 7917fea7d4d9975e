import { askProgram } from '../../engine/examine/ask-program.ts';
import type { PageAddress } from '../../engine/system/network/ask-page.ts';
import type { NodeStatus } from './node-status.ts';
import type { ProductStatus } from './product-status.ts';

/** Where a node's programs are asked. */
export interface StatusEndpoints {
  /** This node's name, where the group that it is in does not have it under another one. */
  readonly node: string;
  /** By the program's name; undefined where it serves no page (`--listen off`). */
  readonly pages: Readonly<Record<string, PageAddress | undefined>>;
  /** HAProxy's statistics, on loopback. */
  readonly statPort: number;
}

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
  const at = new Date().toISOString();
  const asked = products.flatMap(({ programs }) => programs);
  const [answers, others] = await Promise.all([
    Promise.all(asked.map(({ name, schema }) => askProgram(name, places.pages[name], schema, limits))),
    Promise.all(products.map(({ others }) => others?.read(places, limits))),
  ]);
  const said: NodeStatus = {
    v: 1,
    at,
    node: places.node,
    programs: answers.map(({ program }) => program),
    ...Object.fromEntries(asked.map(({ field }, index) => [field, answers[index]?.status ?? null])),
  };
  const names = products.map(({ nodeName }) => nodeName?.(said));
  const node = names.find((name) => name !== undefined) ?? places.node;
  const more = products.map((product, index) => product.others?.fields(others[index], said));
  return Object.assign(said, { node }, ...more);
}
