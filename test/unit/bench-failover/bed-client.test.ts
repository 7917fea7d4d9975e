import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type TLSSocket } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { createAuthority } from '../../helpers/certificates.ts';
import { startClient } from '../../helpers/vrrp/bed-client.ts';
import { waitFor } from '../../helpers/wait-for.ts';

test('a client that waits for a late answer is not calm, however many good ones it gets meanwhile', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'hawser-client-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  let unanswered: TLSSocket | undefined;
  let holdsBack = false;
  const server = createServer(createAuthority(dir).issue({ commonName: 'api' }), (socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      if (holdsBack && unanswered === undefined) unanswered = socket;
      else socket.end('HTTP/1.1 200 OK\r\n\r\n');
    });
  });
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await using client = await startClient(['env'], '127.0.0.1', port, 60_000);
  const calm = () => client.calmFor(500);
  await waitFor('the client to be served', calm);

  holdsBack = true;
  await waitFor('the client to wait for an answer', () => !calm() && unanswered !== undefined);
  const heard = client.probes().length;
  await waitFor('other answers', () => client.probes().length > heard + 50);
  expect(calm()).toBe(false);
  expect(client.probes().filter(({ reason }) => reason !== null)).toEqual([]);

  unanswered?.end('HTTP/1.1 200 OK\r\n\r\n');
  await waitFor('the client to be served again', calm);
});
