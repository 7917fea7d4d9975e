import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { serveEndpoint } from '../../src/engine/observe/http-endpoint.ts';
import type { StatusEndpoints } from '../../src/operate/status/collect-cluster-status.ts';
import { freePort } from './free-port.ts';
import {
  haproxyMonitorSays,
  haproxySupervisorSays,
  keepalivedMonitorSays,
  keepalivedSupervisorSays,
} from './status-samples.ts';

const csv = readFileSync(new URL('../fixtures/supervisor/statistics.csv', import.meta.url), 'utf8');

/** What listens at a program's page. */
export type Page = object | 'dead' | 'hung' | 'off';

export interface Pages {
  readonly 'haproxy-supervisor'?: Page;
  readonly 'haproxy-monitor'?: Page;
  readonly 'keepalived-supervisor'?: Page;
  readonly 'keepalived-monitor'?: Page;
  readonly statistics?: 'dead' | 'without-addresses';
}

/** Real pages on their own ports until `signal` aborts; all are healthy unless `pages` says otherwise. */
export async function servePages(pages: Pages, signal: AbortSignal): Promise<StatusEndpoints> {
  const page = async (says: Page) => await servePage(says, signal);
  return {
    node: 'cp-1',
    isInstalled: true,
    pages: {
      'haproxy-supervisor': await page(pages['haproxy-supervisor'] ?? haproxySupervisorSays),
      'haproxy-monitor': await page(pages['haproxy-monitor'] ?? haproxyMonitorSays),
      'keepalived-supervisor': await page(pages['keepalived-supervisor'] ?? keepalivedSupervisorSays),
      'keepalived-monitor': await page(pages['keepalived-monitor'] ?? keepalivedMonitorSays),
    },
    statPort:
      pages.statistics === 'dead' ? await freePort() : await serveStatistics(pages.statistics, signal),
  };
}

/** A program's page on its own port, until `signal` aborts. */
export async function servePage(
  says: Page,
  signal: AbortSignal,
): Promise<StatusEndpoints['pages']['haproxy-monitor']> {
  if (says === 'off') return undefined;
  const address = { host: '127.0.0.1', port: await freePort() };
  if (says === 'hung') await serveNothing(address.port, signal);
  else if (says !== 'dead') {
    const endpoint = { trouble: () => undefined, metrics: () => '', status: () => says };
    await serveEndpoint(address, endpoint, signal);
  }
  return address;
}

async function serveStatistics(kind: Pages['statistics'], signal: AbortSignal): Promise<number> {
  const text = kind === undefined ? csv : csv.replaceAll(/127\.0\.0\.1:\d+|\[::1\]:\d+/g, '');
  const port = await freePort();
  const server = createHttpServer((request, response) => {
    response.statusCode = request.url === '/haproxy_stats;csv' ? 200 : 404;
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  signal.addEventListener('abort', () => server.close().closeAllConnections(), { once: true });
  return port;
}

/** Like a stopped process: the kernel accepts, and no answer comes. */
async function serveNothing(port: number, signal: AbortSignal): Promise<void> {
  const server = createServer((socket) => {
    signal.addEventListener('abort', () => socket.destroy(), { once: true });
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  signal.addEventListener('abort', () => server.close(), { once: true });
}
