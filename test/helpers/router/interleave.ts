import { setTimeout as pause } from 'node:timers/promises';
import { certificate, type SetWorld, type Wish } from './set-world.ts';

interface Found {
  readonly atRunTime: number;
  readonly reloaded: number;
  /** What HAProxy has in memory after a round and the last files do not say. */
  readonly lost: readonly string[];
}

/** The changes of a round are spread over the time that a reload takes here. */
const LONGEST_MS = 150;
export const CHANGES_A_ROUND = 4;

/** Each round requests a reload and changes at random moments, and then compares HAProxy's memory with the files. */
export async function interleave(
  { want, begin, runs, shouldRun, supervisor }: SetWorld,
  rounds: number,
  random: () => number,
): Promise<Found> {
  const oneOf = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const names = ['a', 'b', 'c'];
  const pems = new Map(names.map((name) => [name, [certificate(name), certificate(name), undefined]]));
  const wish = (name: string): Wish => {
    const pem = oneOf(pems.get(name) ?? []);
    const servers = oneOf([[1], [1, 2], [2, 3], [1, 2, 3]]);
    return { name, host: `${name}${oneOf([1, 2, 3])}.test`, servers, ...(pem !== undefined && { pem }) };
  };
  await begin(...names.map(wish));
  let atRunTime = 0;
  let reloaded = 0;
  const lost: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const reload = pause(random() * LONGEST_MS).then(supervisor.reload);
    let last: readonly Wish[] = [];
    for (let change = 0; change < CHANGES_A_ROUND; change += 1) {
      await pause((random() * LONGEST_MS) / CHANGES_A_ROUND);
      last = names.map(wish);
      const outcome = await want(...last);
      if (outcome.kind !== 'reloaded' && outcome.kind !== 'unchanged')
        lost.push(`round ${round}: ${JSON.stringify(outcome)}`);
      else if (outcome.kind === 'reloaded' && outcome.atRunTime === true) atRunTime += 1;
      else reloaded += 1;
    }
    await reload;
    const has = JSON.stringify(await runs());
    const should = JSON.stringify(shouldRun(...last));
    if (has !== should) lost.push(`round ${round}: ${has}, expected ${should}`);
  }
  return { atRunTime, reloaded, lost };
}

/** The same numbers every time. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
