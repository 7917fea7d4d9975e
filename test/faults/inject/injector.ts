import type { BedNode } from '../../helpers/vrrp/bed-node.ts';
import type { World } from '../world/world.ts';

export interface Injection {
  readonly world: World;
  readonly node: BedNode;
  readonly variant: string;
}

/** Ends the fault. What the product repairs or the kubelet starts again by itself is left to them. */
export type Undo = () => Promise<void>;

/** Brings a fault about. Throws if it cannot: then nothing has happened. */
export type Injector = (injection: Injection) => Promise<Undo>;

export const nothingToUndo: Undo = async () => {};
