import { setTimeout as pause } from 'node:timers/promises';
import { askHost, untilGood } from './ask-host.ts';
import { storedSlice } from './live-objects.ts';
import { type LiveScene, ports } from './live-scene.ts';
import { hostOf, podAddresses } from './objects.ts';

/**
 * How long a moved pod takes to be served while the file of a previous runtime update is being validated. `betweenMs` is a
 * pause for the remaining work.
 */
export async function movedMeanwhile(
  scene: LiveScene,
  [first, second]: readonly [number, number],
  rounds: number,
  betweenMs: number,
) {
  const moveTo = async (index: number, address = ''): Promise<number> => {
    const body = async () => (await askHost(ports.httpPort, hostOf(index))).body;
    scene.store.set(storedSlice(index, [address]));
    return (await untilGood(address, body, (found) => found === address)).ms;
  };
  const times: number[] = [];
  let before = 0;
  // After the first round each route has only one pod.
  for (let round = 0; round <= rounds; round += 1) {
    await moveTo(first, podAddresses[round % 2]);
    times.push(await moveTo(second, podAddresses[round % 2]));
    await pause(betweenMs);
    if (round === 0) before = (await scene.serving()).generation;
  }
  return { times: times.slice(1), reloads: (await scene.serving()).generation - before };
}
