import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { routeBackend } from '../../helpers/router/route-sets.ts';
import { type RunningRouter, startRouter } from '../../helpers/router/running-router.ts';

/** Requests that could bypass the rules of the frontends, on a real HAProxy. */
let pod: Server;
let router: RunningRouter;
const heads: string[] = [];
const sockets = new Set<Socket>();

/** A pod that accepts any upgrade and echoes what follows. */
function serve(socket: Socket): void {
  sockets.add(socket);
  let head = '';
  socket.on('error', () => socket.destroy());
  socket.setEncoding('latin1').on('data', (text: string) => {
    if (head.includes('\r\n\r\n')) return void socket.write(`tunnel:${text}`);
    head += text;
    if (!head.includes('\r\n\r\n')) return;
    heads.push(head);
    const isSwitch = /^upgrade:/im.test(head) || head.startsWith('CONNECT');
    const accept = 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=';
    socket.write(
      isSwitch
        ? `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`
        : 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok',
    );
  });
}

beforeAll(async () => {
  pod = createServer(serve).listen(0, '127.0.0.1');
  await once(pod, 'listening');
  const address = pod.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const server = { name: 'pod:a', address: '127.0.0.1', port: address.port, weight: 1, h2c: false };
  router = await startRouter([routeBackend({ key: 'n:a', host: 'a.test', servers: [server] })]);
});
afterAll(async () => {
  await router[Symbol.asyncDispose]();
  for (const socket of sockets) socket.destroy();
  pod.close();
});

/** Returns the text received until it matches `until` or the other side closes. */
const say = (text: string, until: RegExp): Promise<string> =>
  new Promise((resolve, reject) => {
    heads.length = 0;
    let found = '';
    const socket = connect(router.httpPort, '127.0.0.1', () => socket.write(text, 'latin1'));
    socket.setEncoding('latin1').on('data', (more: string) => {
      found += more;
      if (until.test(found)) socket.destroy();
    });
    socket.once('close', () => resolve(found));
    socket.once('error', reject);
  });
const headOf = (lines: readonly string[]) => `${[...lines, 'Host: a.test'].join('\r\n')}\r\n\r\n`;
const send = (...lines: readonly string[]) => say(headOf(lines), /\r\n\r\n/);
const websocket = [
  'Connection: Upgrade',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Version: 13',
];

test('CONNECT is refused with 405 and reaches no pod (M2)', async () => {
  expect(await send('CONNECT a.test:80 HTTP/1.1')).toMatch(/^HTTP\/1\.1 405 /);
  expect(heads).toEqual([]);
});

test.each(['h2c', 'H2C', 'websocket, h2c'])('"Upgrade: %s" reaches no pod (M2)', async (upgrade) => {
  const head = [
    'GET / HTTP/1.1',
    ...websocket,
    `Upgrade: ${upgrade}`,
    'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
  ];
  expect(await send(...head)).toMatch(/^HTTP\/1\.1 200 /);
  expect(heads.join('')).toMatch(/^GET \/ /);
  expect(heads.join('')).not.toMatch(/^(?:upgrade|http2-settings):/im);
});

test('a WebSocket still gets its upgrade', async () => {
  const head = headOf(['GET / HTTP/1.1', ...websocket, 'Upgrade: websocket']);
  const answer = await say(`${head}GET /secret-admin`, /tunnel:GET/);
  expect(answer).toMatch(/^HTTP\/1\.1 101 .*tunnel:GET/s);
});

test.each(['X-SSL-Client-CN', 'X_SSL_Client_CN', 'x_ssl-client-dn', 'X-SSL_Client_Verify'])(
  "a client's header %s claims no certificate (M2)",
  async (name) => {
    expect(await send('GET / HTTP/1.1', `${name}: root`)).toMatch(/^HTTP\/1\.1 200 /);
    expect(heads.join('')).not.toContain('root');
  },
);

test('a NUL in a header is refused (L4)', async () => {
  expect(await send('GET / HTTP/1.1', 'X-A: b\0c')).toMatch(/^HTTP\/1\.1 400 /);
  expect(heads).toEqual([]);
});

test('a folded header line reaches the pod as one line (L4)', async () => {
  expect(await send('GET / HTTP/1.1', 'X-A: b', '\tX-SSL-Client-CN: root')).toMatch(
    /^HTTP\/1\.1 (?:200|400) /,
  );
  expect(heads.join('')).not.toMatch(/^[ \t]/m);
  expect(heads.join('')).not.toMatch(/^x-ssl/im);
});
