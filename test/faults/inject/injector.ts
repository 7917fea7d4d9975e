import type { BedNode } from '../../helpers/vrrp/bed-node.ts';
import type { World } from '../world/world.ts';

export interface Injection {
  readonly world: World;
  readonly node: BedNode;
  readonly variant: string;
}

/** Ends the fault. Repairs by the product and restarts by the kubelet are left to them. */
export type Undo = () => Promise<void>;

/** Injects a fault. Throws if it cannot, and then has changed nothing. */
export type Injector = (injection: Injection) => Promise<Undo>;

export const nothingToUndo: Undo = async () => {};
