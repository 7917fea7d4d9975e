import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHaproxyMonitorMetrics } from '../../../../src/api-lb/haproxy-monitor-metrics.ts';
import {
  hasLocalHost,
  isLocalRequest,
  type Reader,
  serveEndpoint,
} from '../../../../src/engine/observe/http-endpoint.ts';
import { createMetricsRegistry } from '../../../../src/engine/observe/metrics-registry.ts';
import { freePort } from '../../../helpers/free-port.ts';

let stop: AbortController;
beforeEach(() => {
  stop = new AbortController();
});
afterEach(() => stop.abort());

test('/healthz follows the loop, /metrics shows the observed values', async () => {
  let nowMs = 0;
  const metrics = createHaproxyMonitorMetrics(() => nowMs, createMetricsRegistry());
  const port = await freePort();
  const trouble = () => (metrics.secondsSinceBeat() > 120 ? 'the loop hangs' : undefined);
  await serveEndpoint(
    { host: '127.0.0.1', port },
    { trouble, metrics: metrics.text, status: () => ({}) },
    stop.signal,
  );
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
  expect(text).toContain('hawser_applies_total{result="unreachable"} 0');
  expect(text).toContain('hawser_list_held{reason="empty-list"} 1');
  expect(text).toContain('hawser_list_held{reason="polls-disagree"} 0');
  expect(text).toContain('hawser_change_to_serving_seconds_bucket{le="0.75"} 1');
});

test('a server that HAProxy no longer has is not in the metrics', async () => {
  const metrics = createHaproxyMonitorMetrics(() => 0, createMetricsRegistry());
  metrics.serversUp([
    ['cp-1', true],
    ['cp-2', false],
  ]);
  expect(metrics.text()).toMatch(/hawser_server_up\{server="cp-1"\} 1\nhawser_server_up\{server="cp-2"\} 0/);
  metrics.serversUp([['cp-1', true]]);
  expect(metrics.text()).not.toContain('cp-2');
});

test('the error for a port in use names it', async () => {
  const port = await freePort();
  const endpoint = { trouble: () => undefined, metrics: async () => '', status: () => ({}) };
  await serveEndpoint({ host: '127.0.0.1', port }, endpoint, stop.signal);
  await expect(serveEndpoint({ host: '127.0.0.1', port }, endpoint, stop.signal)).rejects.toThrow(
    `127.0.0.1:${port}`,
  );
});

test('a request in pieces is answered, another method refused, an invalid request dropped', async () => {
  const port = await freePort();
  const endpoint = { trouble: () => undefined, metrics: () => 'm 1\n', status: () => ({}) };
  await serveEndpoint({ host: '127.0.0.1', port }, endpoint, stop.signal);
  const say = async (...pieces: readonly string[]): Promise<string> => {
    const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true }).setNoDelay();
    const heard = text(socket).catch(() => 'dropped');
    for (const piece of pieces) await new Promise((resolve) => socket.write(piece, resolve));
    return await heard;
  };
  expect(await say('GET /metr', 'ics HTTP/1.1\r\nHost: x\r', '\n\r\n')).toMatch(
    /^HTTP\/1\.1 200 OK\r\n.*m 1\n$/s,
  );
  expect(await say('POST /metrics HTTP/1.1\r\n\r\n')).toMatch(/^HTTP\/1\.1 405 /);
  expect(await say('x'.repeat(10_000))).toMatch(/^(dropped)?$/);
});

test('/status is JSON for requests by address, and refused for a foreign host name', async () => {
  const port = await freePort();
  const endpoint = { trouble: () => undefined, metrics: () => '', status: async () => ({ v: 'é' }) };
  await serveEndpoint({ host: '127.0.0.1', port }, endpoint, stop.signal);
  const asked = async (host: string | undefined): Promise<string> => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.write(`GET /status HTTP/1.1\r\n${host === undefined ? '' : `Host: ${host}\r\n`}\r\n`);
    return await text(socket);
  };
  for (const host of [`127.0.0.1:${port}`, 'localhost', 'LOCALHOST:80', `[::1]:${port}`, '127.8.9.1']) {
    const answer = await asked(host);
    expect(answer, host).toMatch(/^HTTP\/1\.1 200 .*\r\n\r\n\{"v":"é"\}\n$/s);
    expect(answer).toContain('content-type: application/json\r\n');
    expect(answer).not.toMatch(/access-control/i);
  }
  for (const host of [undefined, '', 'evil.test', `evil.test:${port}`, '127.0.0.1.evil.test', '192.0.2.7'])
    expect(await asked(host), host).toMatch(/^HTTP\/1\.1 403 (?!.*"v")/s);
});

test("/readyz reports a program's readiness, its trouble first, and is missing in others", async () => {
  const port = await freePort();
  const plain = await freePort();
  let trouble: string | undefined;
  let unready: string | undefined = 'no VIP can come';
  const common = { trouble: () => trouble, metrics: () => '', status: () => ({}) };
  await serveEndpoint({ host: '127.0.0.1', port }, { ...common, unready: () => unready }, stop.signal);
  await serveEndpoint({ host: '127.0.0.1', port: plain }, common, stop.signal);
  const get = async (path: string, at = port) => {
    const response = await fetch(`http://127.0.0.1:${at}${path}`);
    return `${response.status} ${(await response.text()).trim()}`;
  };
  expect(await get('/readyz')).toBe('503 no VIP can come');
  expect(await get('/healthz')).toBe('200 ok');
  unready = undefined;
  expect(await get('/readyz')).toBe('200 ok');
  trouble = 'it hangs';
  expect(await get('/readyz')).toBe('503 it hangs');
  expect(await get('/readyz', plain)).toMatch(/^404 /);
});

test('idle connections do not prevent a probe', async () => {
  const port = await freePort();
  const endpoint = { trouble: () => undefined, metrics: () => '', status: () => ({}) };
  await serveEndpoint({ host: '127.0.0.1', port }, endpoint, stop.signal);
  const idle = Array.from({ length: 100 }, () => connect({ host: '127.0.0.1', port }));
  for (const socket of idle) socket.on('error', () => undefined);
  await Promise.all(idle.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
  for (const socket of idle) socket.destroy();
});

test('metrics are served only to permitted clients, long ones in pieces', async () => {
  const port = await freePort();
  const endpoint = {
    trouble: () => undefined,
    unready: () => 'not yet',
    status: () => ({}),
    metrics: async () => ['a 1\n', 'b 2\n'],
    mayReadMetrics: async ({ authorization, isLocal }: Reader) => isLocal && authorization === 'Bearer me',
  };
  await serveEndpoint({ host: '127.0.0.1', port }, endpoint, stop.signal);
  const get = async (path: string, headers: Readonly<Record<string, string>>) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
    return [response.status, await response.text()];
  };
  expect(await get('/metrics', {})).toEqual([401, 'expected a user or a token\n']);
  expect(await get('/metrics', { authorization: 'Bearer me' })).toEqual([200, 'a 1\nb 2\n']);
  expect(await get('/healthz/ready', {})).toEqual([503, 'not yet\n']);
});

const plain = 'GET /status HTTP/1.1\r\nHost: localhost\r\n\r\n';

test.each([
  ['127.0.0.1', true],
  ['::ffff:127.0.0.1', true],
  ['::1', true],
  // The node's own address, from the node: a proxy there may have been tricked into the request.
  ['::ffff:192.0.2.1', false],
  ['2001:db8::2', false],
  // The connection is gone.
  [undefined, false],
])('a request from %s comes from this machine: %s', (remoteAddress, isHere) => {
  expect(isLocalRequest(plain, { remoteAddress, localAddress: remoteAddress })).toBe(isHere);
});

test.each([
  'X-Forwarded-For: 10.0.0.1',
  'x-forwarded-proto: http',
  'FORWARDED: for=10.0.0.1',
  'Via : 1.1 proxy',
])('a request over loopback with "%s" is from a proxy', (line) => {
  const head = `GET /status HTTP/1.1\r\nHost: localhost\r\n${line}\r\n\r\n`;
  expect(isLocalRequest(head, { remoteAddress: '127.0.0.1' })).toBe(false);
});

test.each([
  ['localhost:1936', true],
  ['127.0.0.1', true],
  ['[::1]:1936', true],
  ['192.0.2.1:1936', false],
  ['127.0.0.1.evil.test', false],
  ['127.evil', false],
  ['rebound.example', false],
])('a request for %s is meant for this machine: %s', (host, isMeant) => {
  expect(hasLocalHost(`GET /status HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).toBe(isMeant);
});
