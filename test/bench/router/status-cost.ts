import { setTimeout as pause } from 'node:timers/promises';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import { createWritingWorld } from '../../helpers/router/writing.ts';

/** The cost of Routes' statuses for three replicas and their API, all in this process. */
export interface StatusCost {
  readonly routes: number;
  /** From the creation of the last Route to the last status. */
  readonly completeMs: number;
  readonly writesPerRoute: number;
  /** Writes of any kind within ten seconds without a change. */
  readonly quietWrites: number;
}

const QUIET_MS = 10_000;
const REPLICAS = 3;

export async function statusCost(routes: number): Promise<StatusCost> {
  const world = await createWritingWorld();
  try {
    let writes = 0;
    world.answerWith((method) => {
      if (method !== 'GET') writes += 1;
      return undefined;
    });
    for (let replica = 0; replica < REPLICAS; replica += 1) world.start({}, {});
    await created(world, 10, 'few');
    writes = 0;
    await pause(QUIET_MS);
    const quietWrites = writes;
    const before = world.writes.length;
    const completeMs = await created(world, routes, 'many');
    return { routes, completeMs, writesPerRoute: (world.writes.length - before) / routes, quietWrites };
  } finally {
    await world.remove();
  }
}

async function created(
  world: Awaited<ReturnType<typeof createWritingWorld>>,
  routes: number,
  namespace: string,
): Promise<number> {
  world.create(routes, namespace);
  const from = monotonicMs();
  while (!world.allAdmitted(routes, namespace)) {
    if (monotonicMs() - from > 60_000) throw new Error(`Cannot wait any longer for ${routes} statuses`);
    await pause(10);
  }
  return monotonicMs() - from;
}
