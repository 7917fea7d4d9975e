import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'vitest';
import { createMetricsRegistry } from '../../../../src/engine/observe/metrics-registry.ts';
import { createOnce } from '../../../../src/engine/observe/once.ts';
import { TRACK } from '../../../../src/keepalived/track-value.ts';
import { createHealthLoop } from '../../../../src/vip/health/health-loop.ts';
import { createKeepalivedMonitorMetrics } from '../../../../src/vip/settings/keepalived-monitor-metrics.ts';
import { freePort } from '../../../helpers/free-port.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

test('a node that the list of nodes does not contain is in FAULT, though its server serves', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'hwsr-'));
  const port = await freePort();
  const server = createServer((_request, response) => response.end('ok')).listen(port, '127.0.0.1');
  const stop = new AbortController();
  let isExcluded = false;
  const trackFile = join(dir, 'lb.track');
  const loop = createHealthLoop(
    {
      ...{
        kind: 'api',
        trackFile,
        pollEveryMs: 50,
        pollTimeoutMs: 2_000,
        peersAreOpen: true,
        resigns: false,
      },
      url: { secure: false, host: '127.0.0.1', port, path: '/' },
      onLocalApiProbe: async () => undefined,
      apiPort: undefined,
      recordUsable: () => undefined,
    },
    { stateFile: join(dir, 'vrrp-state.json'), profile: 'fast' },
    {
      ...{ profile: () => 'fast', instanceNames: () => undefined, served: () => undefined },
      ...{ isConfirmed: () => true, isExcluded: () => isExcluded, isUndecided: () => false },
      onChange: () => undefined,
      mustLeave: () => false,
      vipUse: {
        look: () => ({ kind: 'clear', heardForMs: Number.POSITIVE_INFINITY }),
        forget: () => undefined,
      },
      steering: { steer: () => 'none', text: () => undefined, onChange: () => undefined },
    },
    {
      log: () => undefined,
      metrics: createKeepalivedMonitorMetrics(() => 0, createMetricsRegistry()),
      once: createOnce(),
    },
  );
  const run = loop.run(stop.signal);
  const value = () => Number(readFileSync(trackFile, 'utf8'));
  try {
    await waitFor('the node to take part', () => loop.view().hasSpoken && value() >= TRACK.healthy);
    isExcluded = true;
    await waitFor('FAULT', () => value() === TRACK.fault);
    isExcluded = false;
    await waitFor('the node to take part again', () => value() >= TRACK.healthy);
  } finally {
    stop.abort();
    await run;
    server.closeAllConnections();
    server.close();
    rmSync(dir, { recursive: true, force: true });
  }
});
