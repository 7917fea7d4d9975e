import { appendFileSync, rmSync, truncateSync } from 'node:fs';
import { decodeAnswer } from '../../../../src/engine/control/answer.ts';
import { monotonicMs } from '../../../../src/engine/system/time/monotonic-clock.ts';
import type { Targets } from '../figures.ts';
import type { Host } from '../host.ts';
import { FORCE_DELETE_MS, squatter } from '../layout.ts';
import { lossSpanMs, lostOf } from '../lost.ts';
import type { Scenario } from '../scenario.ts';

/** HAProxy retries a port in use for 2 s. By this time the old listeners are back. */
const RESUMED_AFTER_MS = 4_000;

const alwaysServing: Targets = {
  senderInformed: { kind: 'is', value: true },
  lost: { kind: 'at-most', value: 0 },
  servingAfter: { kind: 'is', value: true },
};

export const badFile = badInputScenario(
  'bad-file',
  'reload with a file that HAProxy rejects',
  (host) => appendFileSync(host.paths.config, '\nthis is no directive\n'),
  alwaysServing,
);

export const missingFile = badInputScenario(
  'missing-file',
  'reload with no file at all',
  (host) => rmSync(host.paths.config),
  alwaysServing,
);

export const emptyFile = badInputScenario(
  'empty-file',
  'reload with an empty file',
  (host) => truncateSync(host.paths.config, 0),
  alwaysServing,
);

export const portClash = badInputScenario(
  'port-clash',
  'reload with a good file that wants a port in use',
  (host) =>
    appendFileSync(
      host.paths.config,
      `\nlisten clash\n  mode tcp\n  bind ${squatter.host}:${squatter.port}\n`,
    ),
  {
    lostOnceResumed: { kind: 'at-most', value: 0 },
    senderInformed: { kind: 'is', value: true },
    servingAfter: { kind: 'is', value: true },
  },
);

function badInputScenario(
  name: string,
  about: string,
  spoil: (host: Host) => void,
  targets: Targets,
): Scenario {
  return {
    name,
    about: `${about}, 200 new connections/s`,
    targets,
    run: async (bench) => {
      await using host = await bench.openHost();
      const load = await host.startLoad({ ratePerSecond: 200, streams: 0, streamRampMs: 0 });
      await bench.pause(1_000);
      spoil(host);
      const { sentAtMs, answer } = host.reload();
      await bench.pause(FORCE_DELETE_MS + 3_000);
      const lastSecondAtMs = monotonicMs();
      await bench.pause(1_000);
      const lostInLastSecond = load.lostSince(lastSecondAtMs);
      const summary = await load.stop();
      return {
        connections: summary.connections,
        lost: lostOf(summary),
        lostOnceResumed: load.lostSince(sentAtMs + RESUMED_AFTER_MS),
        lossSpanMs: lossSpanMs(load.events()),
        slowerThan500Ms: summary.slow,
        senderInformed: decodeAnswer(await answer)?.ok === false,
        servingAfter: lostInLastSecond === 0 && summary.ok > 0,
      };
    },
  };
}
