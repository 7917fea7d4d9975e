/** From nothing to what clients notice most: some of them are refused, or find two nodes with one address. */
export const costLevels = ['nothing', 'reload', 'restart', 'vip-move', 'interruption'] as const;
export type CostLevel = (typeof costLevels)[number];

/** One thing that a change does to a node. */
export interface Effect<Kind extends string = string> {
  readonly kind: Kind;
  /** What it happens to, such as a VIP or a port, unless the kind says that already. */
  readonly subject?: string;
  /** A sentence for the operator's decision whether to apply the change now. */
  readonly says: string;
  readonly level: CostLevel;
  /** Open connections break off, or are ended so much later. They stay if this is undefined. */
  readonly connections?: 'cut' | { readonly endedWithinMs: number };
}
