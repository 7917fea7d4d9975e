import { askRuntimeApi } from '../../../../src/haproxy/runtime-api.ts';
import { waitFor } from '../../../helpers/wait-for.ts';
import type { ConfigurationKind } from '../configuration.ts';
import { spreadOf } from '../figures.ts';
import type { Host } from '../host.ts';
import { isServedWithin } from '../newest-served.ts';
import type { Scenario } from '../scenario.ts';

const EVERY_MS = 8_000;

export const deadServer: Scenario = deadServerScenario(
  'dead-server',
  'one of three servers dead, a reload every 8 s, 150 new connections/s',
  'template',
);

export const deadServerPlain: Scenario = deadServerScenario(
  'dead-server-plain',
  "the same with the shell pods' retry policy: retries 3, no redispatch",
  'plain',
);

function deadServerScenario(name: string, about: string, configuration: ConfigurationKind): Scenario {
  return {
    name,
    about,
    targets: { lostPerReload: { kind: 'at-most', value: 0 } },
    run: async (bench) => {
      await using host = await bench.openHost(configuration);
      await host.backends.stop('cp-2');
      await waitFor('HAProxy to find cp-2 down', () => isDown(host, 'cp-2'), 30_000);
      const load = await host.startLoad({ ratePerSecond: 150, streams: 0, streamRampMs: 0 });
      await bench.pause(2_000);
      const lost: number[] = [];
      const lostBefore = load.lostSince(0);
      for (let generation = 1; generation <= (bench.quick ? 1 : 4); generation += 1) {
        host.install(generation);
        const before = load.lostSince(0);
        host.reload();
        await isServedWithin(host.prober, generation, EVERY_MS);
        await bench.pause(EVERY_MS);
        lost.push(load.lostSince(0) - before);
      }
      const summary = await load.stop();
      return {
        connections: summary.connections,
        lostBefore,
        lostPerReload: spreadOf(lost),
        slowerThan500Ms: summary.slow,
        slowestMs: summary.slowestMs,
      };
    },
  };
}

async function isDown(host: Host, server: string): Promise<boolean> {
  const text = (await askRuntimeApi(host.paths.statsSocket, 'show stat', 1_000)) ?? '';
  const fields = text
    .split('\n')
    .find((line) => line.startsWith(`masters,${server},`))
    ?.split(',');
  return fields?.[17] === 'DOWN';
}
