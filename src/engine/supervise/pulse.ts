/** Start of a process's silence, and the number of consecutive polls without a sign of life. */
export interface Pulse {
  readonly silentSince: number;
  readonly silentPolls: number;
  readonly hung: boolean;
}

/**
 * Records one poll. It counts polls, not time, because a frozen machine or a starved supervisor does not poll. A process that waits for a CPU is
 * alive, however long it waits: docs/internals/decisions/0012, 0033.
 */
export function beat(before: Pulse | undefined, lives: boolean, hungAfterPolls: number, now: number): Pulse {
  const silentPolls = lives ? 0 : (before?.silentPolls ?? 0) + 1;
  const silentSince = lives || before === undefined ? now : before.silentSince;
  return { silentSince, silentPolls, hung: silentPolls >= hungAfterPolls };
}
