/**
 * The items of all groups in turn: the first of each, then the second of each. The order within a group stays, so an item waits for no more of
 * another group than come before it in its own, plus one.
 */
export function inTurns<T>(items: readonly T[], groupOf: (item: T) => string): readonly T[] {
  const groups = [...Map.groupBy(items, groupOf).values()];
  if (groups.length < 2) return items;
  const rounds = Math.max(...groups.map(({ length }) => length));
  return Array.from({ length: rounds }, (_, round) =>
    groups.flatMap((group) => group.slice(round, round + 1)),
  ).flat();
}
