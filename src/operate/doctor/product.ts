import type { WantedPort } from '../../engine/examine/wanted-port.ts';
import type { PlannedProduct } from '../plan/planned-product.ts';
import type { DoctorCheck, DoctorSettings } from './context.ts';

/** What operate knows of a product: each has one in its `product.ts`, and `src/commands/products.ts` lists them. */
export interface Product {
  readonly name: string;
  /** What `hawser doctor` asks about it, in the order in which it is shown. */
  readonly checks: readonly DoctorCheck[];
  /** Where its programs listen, beside their own pages. */
  readonly ports: (settings: DoctorSettings) => readonly WantedPort[];
  readonly plan: PlannedProduct;
}
