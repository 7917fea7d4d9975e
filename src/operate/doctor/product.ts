import type { PlannedProduct } from '../plan/planned-product.ts';
import type { PortsOf } from './checks/ports.ts';
import type { DoctorCheck } from './look/context.ts';

/** What operate knows of a product: each has one in its `product.ts`, and `src/commands/products.ts` lists them. */
export interface Product extends PortsOf {
  readonly name: string;
  /** What `hawser doctor` asks about it, in the order in which it is shown. */
  readonly checks: readonly DoctorCheck[];
  readonly plan: PlannedProduct;
}
