import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFallbackProbe, notedHealthUrl } from '../../../src/keepalived/fallback-probe.ts';
import { waitFor } from '../../helpers/wait-for.ts';

let server: Server;
let status: number;
let asked: (string | undefined)[];
beforeEach(async () => {
  [status, asked] = [200, []];
  server = createServer(({ url }, answer) => {
    asked.push(url);
    answer.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '::1', resolve));
});
afterEach(() => void server.close());

const url = () => ({
  secure: false,
  host: '::1',
  path: '/haproxy_ready?a=b',
  port: (server.address() as AddressInfo).port,
});

test("a silent monitor's URL is polled, and two consecutive failures count", async () => {
  const noted = notedHealthUrl(url());
  const probe = createFallbackProbe();
  expect(probe.healthy(noted)).toBe(true);
  await waitFor('some questions', () => probe.healthy(noted) && asked.length >= 3);
  expect(asked[0]).toBe('/haproxy_ready?a=b');
  status = 503;
  await waitFor('bad answers to count', () => !probe.healthy(noted));
  status = 200;
  await waitFor('a good one to count', () => probe.healthy(noted));
  server.close();
  await waitFor('a server that is gone to count', () => !probe.healthy(noted));
  probe.reset();
  expect(probe.healthy(noted)).toBe(true);
});

test('without a health check a node counts as healthy', () => {
  expect(createFallbackProbe().healthy(notedHealthUrl(undefined))).toBe(true);
});

test.each([
  ['without a URL', null],
  ['for HTTPS', notedHealthUrl({ secure: true, host: '::1', port: 443, path: '/' })],
  ['for other text', 'lb'],
])('%s the node does not count as healthy', (_how, noted) => {
  expect(createFallbackProbe().healthy(noted)).toBe(false);
});
