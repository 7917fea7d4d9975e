/** Since when, and in how many looks in a row, a process has shown no life. */
export interface Pulse {
  readonly stillSince: number;
  readonly stillLooks: number;
  readonly hung: boolean;
}

/**
 * One look more. Looks are counted, not time: a machine that was frozen, or a supervisor that was starved itself, has not
 * looked. What is waiting for a processor shows life, however long that takes: docs/decisions/0012, 0033.
 */
export function beat(before: Pulse | undefined, lives: boolean, hungAfterLooks: number, now: number): Pulse {
  const stillLooks = lives ? 0 : (before?.stillLooks ?? 0) + 1;
  const stillSince = lives || before === undefined ? now : before.stillSince;
  return { stillSince, stillLooks, hung: stillLooks >= hungAfterLooks };
}
