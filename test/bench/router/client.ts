/**
 * A program: `client.ts PORT ROUTES ASKED REQUESTS` sends REQUESTS requests over eight connections, to ASKED of the routes' hosts in turn.
 * Every path is unique, because HAProxy caches pattern lookups. Exits with 1 at the first answer that is not 200.
 */
import { connect } from 'node:net';
import { hostOf } from './objects.ts';

const CONNECTIONS = 8;
const [port = 0, routes = 0, asked = 0, requests = 0] = process.argv.slice(2).map(Number);
let sent = 0;
const startedAt = Date.now();

function nextRequest(): string | undefined {
  if (sent === requests) return undefined;
  // Spread over the whole range, however many hosts are asked.
  const index = Math.floor(((sent % asked) * routes) / asked);
  sent += 1;
  return `GET /app/${startedAt}-${sent} HTTP/1.1\r\nHost: ${hostOf(index)}\r\n\r\n`;
}

function client(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    const step = (): void => {
      const request = nextRequest();
      answer = '';
      if (request === undefined) socket.end(resolve);
      else socket.write(request);
    };
    socket.setNoDelay(true).setEncoding('latin1').once('connect', step).once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed')));
    socket.on('data', (text: string) => {
      answer += text;
      if (!answer.endsWith('\r\n\r\n')) return;
      if (answer.startsWith('HTTP/1.1 200 ')) step();
      else reject(new Error(`Cannot use the answer "${answer.slice(0, 60)}": expected 200`));
    });
  });
}

await Promise.all(Array.from({ length: CONNECTIONS }, client));
