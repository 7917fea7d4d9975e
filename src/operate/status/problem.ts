/** The severity: the order in which problems are listed. */
export const ranks = {
  /** Clients get no answer, or the wrong one. */
  outage: 0,
  /** This node would not take over. */
  'out-of-group': 1,
  /** Something of hawser is dead; what it looks after goes on. */
  program: 2,
  /** Less is left than there should be. */
  redundancy: 3,
  /** A change did not arrive. */
  change: 4,
  /** Something is not seen, or not followed. */
  blind: 5,
} as const;

export interface Problem {
  readonly rank: keyof typeof ranks;
  readonly text: string;
  /** Problems of several nodes with the same subject are one. */
  readonly subject?: string;
}

export function worstFirst(problems: readonly Problem[]): readonly Problem[] {
  return problems.toSorted((a, b) => ranks[a.rank] - ranks[b.rank]);
}
