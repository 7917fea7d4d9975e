/** Since when, and in how many consecutive polls, a process showed no sign of life. */
export interface Pulse {
  readonly stillSince: number;
  readonly stillLooks: number;
  readonly hung: boolean;
}

/**
 * Records one poll. Polls are counted, not time: a frozen machine or a starved supervisor makes none. A process that waits for a CPU shows life,
 * however long it waits: docs/internals/decisions/0012, 0033.
 */
export function beat(before: Pulse | undefined, lives: boolean, hungAfterLooks: number, now: number): Pulse {
  const stillLooks = lives ? 0 : (before?.stillLooks ?? 0) + 1;
  const stillSince = lives || before === undefined ? now : before.stillSince;
  return { stillSince, stillLooks, hung: stillLooks >= hungAfterLooks };
}
