import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createMetricsRegistry } from '../../../../src/engine/observe/metrics-registry.ts';
import { createOnce } from '../../../../src/engine/observe/once.ts';
import { TRACK } from '../../../../src/keepalived/track-value.ts';
import { createHealthLoop } from '../../../../src/vip/health/health-loop.ts';
import { createKeepalivedMonitorMetrics } from '../../../../src/vip/settings/keepalived-monitor-metrics.ts';
import { freePort } from '../../../helpers/free-port.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

/** A loop with a serving server, on a node that may join. */
async function startLoop() {
  const dir = mkdtempSync(join(tmpdir(), 'hwsr-'));
  const port = await freePort();
  const server = createServer((_request, response) => response.end('ok')).listen(port, '127.0.0.1');
  const stop = new AbortController();
  const trackFile = join(dir, 'lb.track');
  const stateFile = join(dir, 'vrrp-state.json');
  const list: { names: 'us' | 'others'; isElsewhere: boolean } = { names: 'us', isElsewhere: false };
  const transitions: (() => void)[] = [];
  const loop = createHealthLoop(
    {
      kind: 'api',
      vips: ['192.0.2.100'],
      trackFile,
      pollEveryMs: 50,
      pollTimeoutMs: 2_000,
      peersAreOpen: true,
      url: { secure: false, host: '127.0.0.1', port, path: '/' },
      apiPort: undefined,
      recordUsable: () => undefined,
    },
    { stateFile },
    {
      served: () => undefined,
      list: () => ({ kind: 'accepted', since: 0, names: list.names, sameAsLastRun: true }),
      isListedElsewhere: () => list.isElsewhere,
      isApplied: () => true,
      guard: { fact: () => ({ kind: 'free' }) },
      onChange: () => undefined,
      onTransition: (listener) => void transitions.push(listener),
      segment: { factOf: () => ({ kind: 'free' }) },
      orders: { effect: () => 'none', text: () => undefined, onChange: () => undefined },
    },
    {
      log: () => undefined,
      metrics: createKeepalivedMonitorMetrics(() => 0, createMetricsRegistry()),
      once: createOnce(),
    },
  );
  const run = loop.run(stop.signal);
  return {
    list,
    value: () => Number(readFileSync(trackFile, 'utf8')),
    hasSpoken: () => loop.view().value !== null,
    becomes: (state: string) => {
      const instances = [{ name: 'API', state, sinceMs: Date.now() }];
      writeFileSync(stateFile, JSON.stringify({ instances }));
      for (const tell of transitions) tell();
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await run;
      server.closeAllConnections();
      server.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

test('a node missing from the node list is in FAULT, even if its server serves', async () => {
  await using loop = await startLoop();
  await waitFor('the node to take part', () => loop.hasSpoken() && loop.value() >= TRACK.healthy);
  loop.list.names = 'others';
  await waitFor('FAULT', () => loop.value() === TRACK.fault);
  loop.list.names = 'us';
  await waitFor('the node to take part again', () => loop.value() >= TRACK.healthy);
});

test('a node that is listed with addresses that it does not have is in FAULT until it has one', async () => {
  await using loop = await startLoop();
  await waitFor('the node to take part', () => loop.hasSpoken() && loop.value() >= TRACK.healthy);
  loop.list.isElsewhere = true;
  await waitFor('FAULT', () => loop.value() === TRACK.fault);
  loop.list.isElsewhere = false;
  await waitFor('the node to take part again', () => loop.value() >= TRACK.healthy);
});

test('a new holder gets its bonus before the next check', async () => {
  await using loop = await startLoop();
  await waitFor('the node to take part', () => loop.hasSpoken() && loop.value() === TRACK.healthy);
  loop.becomes('MASTER');
  expect(loop.value()).toBe(TRACK.healthyHolder);
});
