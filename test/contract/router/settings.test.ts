import { createSocket } from 'node:dgram';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect as connectPlain } from 'node:net';
import { join } from 'node:path';
import { type ConnectionOptions, connect } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAuthority } from '../../helpers/certificates.ts';
import { headerAtPod, type Pod, startPod } from '../../helpers/router/pods.ts';
import { routeBackend } from '../../helpers/router/route-sets.ts';
import {
  type Answer,
  get,
  parseAnswer,
  type RunningRouter,
  requestText,
  startRouter,
  talk,
} from '../../helpers/router/running-router.ts';
import { fileFolder } from '../../helpers/test-folder.ts';
import { waitFor } from '../../helpers/wait-for.ts';

/** The observable contract of a router: settings of the whole router, on a real HAProxy. */
const folder = fileFolder();
const clients = createAuthority(join(folder, 'clients'));
const notFound = join(folder, '404.http');
const log: string[] = [];
const syslog = createSocket('udp4').on('message', (line) => void log.push(`${line}`));
let pod: Pod;
let open: RunningRouter;
let guarded: RunningRouter;

beforeAll(async () => {
  writeFileSync(notFound, 'HTTP/1.0 404 Not Found\r\nContent-Type: text/plain\r\n\r\nNo such site here.');
  await new Promise<void>((resolve) => syslog.bind(0, '127.0.0.1', resolve));
  const { port } = syslog.address() as AddressInfo;
  pod = await startPod('a');
  const route = (host: string, kind: 'http' | 'edge') =>
    routeBackend({ key: `n:${host}`, host, kind, servers: [pod.server] });
  const routes = [route('web.test', 'http'), route('edge.test', 'edge')];
  open = await startRouter(routes, {
    ROUTER_IP_V4_V6_MODE: 'v4v6',
    ROUTER_ERRORFILE_404: notFound,
    ROUTER_ENABLE_COMPRESSION: 'true',
    ROUTER_COMPRESSION_MIME: 'application/json',
    ROUTER_SYSLOG_ADDRESS: `127.0.0.1:${port}`,
    ROUTER_LOG_LEVEL: 'info',
    ROUTER_CAPTURE_HTTP_REQUEST_HEADERS: 'X-Order:8,X-Missing:8',
    ROUTER_CAPTURE_HTTP_RESPONSE_HEADERS: 'Server:8',
    ROUTER_CAPTURE_HTTP_COOKIE: 'session=:16',
  });
  guarded = await startRouter(routes, {
    ROUTER_USE_PROXY_PROTOCOL: 'true',
    ROUTER_MUTUAL_TLS_AUTH: 'required',
    ROUTER_MUTUAL_TLS_AUTH_CA: clients.certFile,
    ROUTER_MUTUAL_TLS_AUTH_FILTER: '^/CN=(alice|bob)$',
  });
});
afterAll(async () => {
  await open[Symbol.asyncDispose]();
  await guarded[Symbol.asyncDispose]();
  pod[Symbol.dispose]();
  syslog.close();
});

const proxyLine = 'PROXY TCP4 203.0.113.9 192.0.2.1 40000 443\r\n';

/** One request with TLS after a PROXY line; undefined if the connection ends without a response. */
function askGuarded(identity: Pick<ConnectionOptions, 'cert' | 'key'>): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    let text = '';
    const plain = connectPlain(guarded.httpsPort, '127.0.0.1');
    plain.write(proxyLine);
    const options = { socket: plain, servername: 'edge.test', rejectUnauthorized: false, ...identity };
    const socket = connect(options, () => socket.write(requestText('edge.test', '/')));
    socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text === '' ? undefined : parseAnswer(text)));
  });
}

/** One request from a client that accepts chunks. Returns the body as received. */
function askOpen(host: string, headers: Readonly<Record<string, string>> = {}) {
  return new Promise<{ readonly encoding: string | undefined; readonly body: Buffer }>((resolve, reject) => {
    const options = { host, port: open.httpPort, headers: { host: 'web.test', ...headers }, agent: false };
    const asked = request(options, async (response) => {
      const body = Buffer.concat(await response.toArray());
      resolve({ encoding: response.headers['content-encoding'], body });
    });
    asked.once('error', reject).end();
  });
}

test('an IPv6 client is served, and pods see its address', async () => {
  const { body } = await askOpen('::1');
  expect(headerAtPod({ status: 200, headers: {}, body: `${body}` }, 'x-forwarded-for')).toEqual(['::1']);
});

test("a request without a route gets the administrator's page", async () => {
  expect(await get(open.httpPort, 'nowhere.test', '/')).toMatchObject({
    status: 404,
    body: 'No such site here.',
  });
});

test('a response of a listed type is compressed for a client that accepts it', async () => {
  const plain = await askOpen('127.0.0.1');
  expect([plain.encoding, JSON.parse(`${plain.body}`).pod]).toEqual([undefined, 'a']);
  const small = await askOpen('127.0.0.1', { 'accept-encoding': 'gzip' });
  expect([small.encoding, JSON.parse(`${gunzipSync(small.body)}`).pod]).toEqual(['gzip', 'a']);
});

test('the log has captured headers and the cookie, each truncated to its length', async () => {
  await get(open.httpPort, 'web.test', '/logged', ['X-Order: 12345678-more', 'Cookie: session=abc; other=1']);
  const line = await waitFor('the line of the request', () => log.find((each) => each.includes('/logged')));
  expect(line).toContain('{12345678|} {pod}');
  expect(line).toContain(' session=abc ');
});

test('with the PROXY protocol pods see its address, and a client without it gets no response', async () => {
  const answer = parseAnswer(await talk(guarded.httpPort, `${proxyLine}${requestText('web.test', '/')}`));
  expect(headerAtPod(answer, 'x-forwarded-for')).toEqual(['203.0.113.9']);
  expect(await talk(guarded.httpPort, requestText('web.test', '/')).catch(() => '')).toBe('');
});

test('required client certificates are accepted only from the CA and with a listed subject', async () => {
  const alice = await askGuarded(clients.issue({ commonName: 'alice' }));
  expect(alice?.status).toBe(200);
  const toPod = (name: string) => alice && headerAtPod(alice, name);
  expect([toPod('x-ssl-client-cn'), toPod('x-forwarded-for')]).toEqual([['alice'], ['203.0.113.9']]);
  expect(await askGuarded(clients.issue({ commonName: 'mallory' }))).toMatchObject({ status: 403 });
  const other = createAuthority(join(folder, 'other'));
  expect(await askGuarded(other.issue({ commonName: 'alice' }))).toBeUndefined();
  expect(await askGuarded({})).toBeUndefined();
});
