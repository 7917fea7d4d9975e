import { type Figure, type Spread, spreadOf } from '../figures.ts';
import type { Host } from '../host.ts';
import { isServedWithin, servingMs } from '../newest-served.ts';
import type { Bench, Scenario } from '../scenario.ts';
import { type BareTimes, startBareHaproxy } from '../start-bare-haproxy.ts';

/** Pause between two measurements, so that one is over before the next starts. */
const REST_MS = 300;

export const messageToServing: Scenario = {
  name: 'message-to-serving',
  about: 'reloads without load, in turn with `haproxy -c` and a bare start of the same file',
  targets: { ratioToCheckAndBareStart: { kind: 'at-most', value: 1.3 } },
  run: async (bench) => {
    await using host = await bench.openHost();
    await using bare = await startBareHaproxy();
    const bareTimes: BareTimes[] = [];
    const messageTimes: number[] = [];
    const reloads = bench.quick ? 6 : 30;
    // Alternating, because the load of a shared machine varies over time.
    for (let generation = 1; generation <= reloads; generation += 1) {
      bareTimes.push(await bare.measure());
      await bench.pause(REST_MS);
      const time = await timeReload(bench, host, generation);
      if (time !== undefined) messageTimes.push(time);
      await bench.pause(REST_MS);
    }
    const messageToServingMs = spreadOf(messageTimes);
    const checkMs = spreadOf(bareTimes.map((each) => each.checkMs));
    const bareStartMs = spreadOf(bareTimes.map((each) => each.startMs));
    const ratioToCheckAndBareStart = ratioOf(messageToServingMs, checkMs, bareStartMs);
    return { messageToServingMs, checkMs, bareStartMs, ratioToCheckAndBareStart };
  },
};

/** Resolves with undefined if it was not served within 10 s. */
async function timeReload(bench: Bench, host: Host, generation: number): Promise<number | undefined> {
  host.install(generation);
  const { sentAtMs, answer } = host.reload();
  await isServedWithin(host.prober, generation, 10_000);
  // The shell daemon does not answer and keeps the connection open for a while.
  await Promise.race([answer, bench.pause(2_000)]);
  return servingMs(host.prober, { generation, sentAtMs }, generation);
}

/** The ratio of the medians. */
function ratioOf(message: Spread | null, check: Spread | null, start: Spread | null): Figure {
  if (message === null || check === null || start === null) return null;
  return message.median / (check.median + start.median);
}
