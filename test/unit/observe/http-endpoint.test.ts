import { createServer } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { serveEndpoint } from '../../../src/observe/http-endpoint.ts';
import { createMonitorMetrics } from '../../../src/observe/monitor-metrics.ts';

let stop: AbortController;
beforeEach(() => {
  stop = new AbortController();
});
afterEach(() => stop.abort());

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

test('/healthz follows the loop, /metrics shows what was observed', async () => {
  let nowMs = 0;
  const metrics = createMonitorMetrics(() => nowMs);
  const port = await freePort();
  const trouble = () => (metrics.secondsSinceBeat() > 120 ? 'the loop hangs' : undefined);
  await serveEndpoint({ host: '127.0.0.1', port }, { trouble, metrics: metrics.text }, stop.signal);
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: response.status, text: await response.text() };
  };
  expect(await get('/healthz')).toEqual({ status: 200, text: 'ok\n' });
  nowMs = 121_000;
  expect(await get('/healthz')).toEqual({ status: 503, text: 'the loop hangs\n' });
  metrics.beat();
  expect((await get('/healthz')).status).toBe(200);
  expect((await get('/')).status).toBe(404);

  metrics.applied('rejected');
  metrics.held('empty-list');
  metrics.servers(3);
  metrics.changeServed(0.7);
  const { text } = await get('/metrics');
  expect(text).toContain('hawser_applies_total{result="rejected"} 1');
  expect(text).toContain('hawser_list_held{reason="empty-list"} 1');
  expect(text).toContain('hawser_list_held{reason="polls-do-not-agree-yet"} 0');
  expect(text).toContain('hawser_change_to_serving_seconds_bucket{le="0.75"} 1');
});

test('a port that is taken is an error that names it', async () => {
  const port = await freePort();
  const endpoint = { trouble: () => undefined, metrics: async () => '' };
  await serveEndpoint({ host: '127.0.0.1', port }, endpoint, stop.signal);
  await expect(serveEndpoint({ host: '127.0.0.1', port }, endpoint, stop.signal)).rejects.toThrow(
    `127.0.0.1:${port}`,
  );
});
