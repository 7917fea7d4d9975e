import type { NodeChange } from '../../cli/node-change.ts';
import type { Pod } from '../../cli/pod.ts';
import type { DryRun } from '../../engine/reconcile/dry-run.ts';

/** What `hawser plan` knows of a product. */
export interface PlannedProduct {
  readonly pods: readonly Pod[];
  /** By a daemon's name, the settings that it accepts without using them. */
  readonly unused: Readonly<Record<string, readonly string[]>>;
  /** Each kind of effect that its dry run may find, with its label for a person. */
  readonly effectLabels: Readonly<Record<string, string>>;
  /** What its monitors would do. Changes nothing, and never rejects. */
  readonly dryRun: (change: NodeChange) => Promise<DryRun>;
}

/** The daemons of all products, in the order in which they are shown. */
export function daemonsOf(products: readonly Pick<PlannedProduct, 'pods'>[]) {
  return products.flatMap(({ pods }) => pods).flatMap(({ daemons }) => daemons);
}
