import { createServer, type Socket } from 'node:net';
import { serveUntil } from '../system/network/serve-until.ts';
import { isAskedHere } from './asked-here.ts';

export interface Endpoint {
  /** Undefined while all is well, else one line that says what is not. */
  readonly trouble: () => string | undefined;
  /** For `/readyz`, where this program has one: undefined while it does for others what it is there for, else why not. */
  readonly unready?: () => string | undefined;
  readonly metrics: () => Promise<string> | string;
  /** What this process knows, for JSON; answers soon. */
  readonly status: () => Promise<object> | object;
}

/** A request has no body, and a probe's headers are short. */
const MOST_CHARACTERS = 8_192;
/** A reader that hangs costs a connection, not a probe. */
const PATIENCE_MS = 5_000;
/** The oldest makes room: the kubelet asks at once, and must not be turned away for those that only hold a connection. */
const PLACES = { connections: 64, whenFull: 'oldest-goes' } as const;

/**
 * `/healthz` and `/readyz` for the kubelet, `/metrics` for Prometheus and `/status` for people's commands, until `signal` aborts.
 * Rejects with the system's error where the address is taken or not ours.
 *
 * Status is here and not on a socket alone: the sockets lie in a volume of each pod, while all pods share the node's
 * loopback. It says more than numbers, so it answers requests for this machine, and not those of other sites' pages.
 *
 * As much of HTTP/1.1 as these GETs need, a connection each: `node:http` alone would cost a supervisor 12 MB
 * (docs/decisions/0003).
 */
export async function serveEndpoint(
  address: { readonly host: string; readonly port: number },
  endpoint: Endpoint,
  signal: AbortSignal,
): Promise<void> {
  const server = createServer((socket) => converse(socket, endpoint));
  await serveUntil(server, address, PLACES, signal);
}

function converse(socket: Socket, endpoint: Endpoint): void {
  let head = '';
  socket.setTimeout(PATIENCE_MS, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.setEncoding('latin1');
  const read = (text: string): void => {
    head += text;
    if (head.length > MOST_CHARACTERS) return void socket.destroy();
    if (!head.includes('\r\n\r\n')) return;
    // Further data is ignored: each connection gets one answer.
    socket.off('data', read);
    socket.resume();
    void answerOf(head, socket.localAddress, endpoint).then(
      (answer) => socket.end(answer),
      () => socket.destroy(),
    );
  };
  socket.on('data', read);
}

async function answerOf(head: string, localAddress: string | undefined, endpoint: Endpoint): Promise<string> {
  const [method, url] = head.split(' ', 2);
  if (method !== 'GET') return response('405 Method Not Allowed', 'expected GET\n');
  switch (url) {
    case '/metrics':
      return response('200 OK', await endpoint.metrics());
    case '/status': {
      if (!isAskedHere(head, localAddress))
        return response('403 Forbidden', 'expected this address, or localhost, in the Host header\n');
      return response('200 OK', `${JSON.stringify(await endpoint.status())}\n`, 'application/json');
    }
    case '/healthz':
      return verdict(endpoint.trouble());
    case '/readyz':
      if (endpoint.unready !== undefined) return verdict(endpoint.trouble() ?? endpoint.unready());
  }
  return response('404 Not Found', 'expected /healthz, /metrics or /status\n');
}

function verdict(problem: string | undefined): string {
  return response(problem === undefined ? '200 OK' : '503 Service Unavailable', `${problem ?? 'ok'}\n`);
}

function response(status: string, text: string, type = 'text/plain; version=0.0.4; charset=utf-8'): string {
  const headers = [
    `content-type: ${type}`,
    `content-length: ${Buffer.byteLength(text)}`,
    'cache-control: no-store',
    'x-content-type-options: nosniff',
    'connection: close',
  ];
  return `HTTP/1.1 ${status}\r\n${headers.join('\r\n')}\r\n\r\n${text}`;
}
