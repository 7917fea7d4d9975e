import { createServer, type Server, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { serveUntil } from '../system/network/serve-until.ts';
import { isAskedHere, isFromHere } from './asked-here.ts';

export interface Endpoint {
  /** Undefined while all is well, else one line about the trouble. */
  readonly trouble: () => string | undefined;
  /**
   * For `/readyz` and `/healthz/ready`, where this program has them: undefined while it does for others what it is there for,
   * else why not.
   */
  readonly unready?: () => string | undefined | Promise<string | undefined>;
  /** In pieces where all of it would be too long for the memory. */
  readonly metrics: () => Promise<string | Iterable<string>> | string;
  /** Absent where everyone who can connect may. */
  readonly mayReadMetrics?: (reader: Reader) => Promise<boolean>;
  /** What this process knows, for JSON; answers soon. */
  readonly status: () => Promise<object> | object;
}

/** Makes the server that takes connections: `createServer` of `node:net`, or one that speaks TLS before it hands them over. */
export type OpenServer = (onSocket: (socket: Socket) => void) => Server;

export interface Reader {
  /** The value of the header of this name, '' where there is none. */
  readonly authorization: string;
  /** It came over loopback, from no proxy. */
  readonly isLocal: boolean;
}

/** A request has no body, and a probe's headers are short. */
const MOST_CHARACTERS = 8_192;
/** A reader that hangs costs a connection, not a probe. */
export const PATIENCE_MS = 5_000;
/** The oldest makes room: the kubelet asks at once, and must not be turned away for those that only hold a connection. */
const PLACES = { connections: 64, whenFull: 'oldest-goes' } as const;
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * `/healthz` and `/readyz` for the kubelet, `/metrics` for Prometheus, `/status` for people's commands, until `signal` aborts.
 * Rejects with the system's error where the address is taken or not ours.
 *
 * Status is here and not on a socket alone: the sockets lie in a volume of each pod, while all pods share the node's
 * loopback. It says more than numbers, so it answers requests over loopback alone: not those of other machines, nor of a proxy on
 * this one, where the page has all addresses, and not those of other sites' pages.
 *
 * As much of HTTP/1.1 as these GETs need, a connection each: `node:http` alone would cost a supervisor 12 MB
 * (docs/internals/decisions/0003).
 */
export async function serveEndpoint(
  address: { readonly host: string; readonly port: number },
  endpoint: Endpoint,
  signal: AbortSignal,
  open: OpenServer = createServer,
): Promise<void> {
  const server = open((socket) => converse(socket, endpoint));
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
    void answerOf(head, socket, endpoint)
      .then((answer) => pipeline(Readable.from(typeof answer === 'string' ? [answer] : answer), socket))
      .catch(() => socket.destroy());
  };
  socket.on('data', read);
}

async function answerOf(
  head: string,
  socket: Pick<Socket, 'localAddress' | 'remoteAddress'>,
  endpoint: Endpoint,
): Promise<string | Iterable<string>> {
  const [method, url] = head.split(' ', 2);
  if (method !== 'GET') return response('405 Method Not Allowed', 'expected GET\n');
  switch (url) {
    case '/metrics':
      return await metricsOf(readerOf(head, socket), endpoint);
    case '/status':
      return await json(head, socket, endpoint.status);
    case '/healthz':
      return verdict(endpoint.trouble());
    case '/readyz':
    case '/healthz/ready':
      if (endpoint.unready !== undefined) return verdict(endpoint.trouble() ?? (await endpoint.unready()));
  }
  return response('404 Not Found', 'expected /healthz, /metrics or /status\n');
}

async function json(
  head: string,
  socket: Pick<Socket, 'localAddress' | 'remoteAddress'>,
  say: Endpoint['status'],
): Promise<string> {
  if (!isFromHere(head, socket))
    return response('403 Forbidden', 'expected a request over loopback, by no proxy\n');
  if (!isAskedHere(head))
    return response('403 Forbidden', 'expected localhost or a loopback address in the Host header\n');
  return response('200 OK', `${JSON.stringify(await say())}\n`, 'application/json');
}

function readerOf(head: string, socket: Pick<Socket, 'localAddress' | 'remoteAddress'>): Reader {
  const [, authorization = ''] = /^authorization:(.*)$/im.exec(head) ?? [];
  return { authorization: authorization.trim(), isLocal: isFromHere(head, socket) };
}

async function metricsOf(
  reader: Reader,
  { metrics, mayReadMetrics }: Endpoint,
): Promise<string | Iterable<string>> {
  if (mayReadMetrics !== undefined && !(await mayReadMetrics(reader)))
    return response('401 Unauthorized', 'expected a user or a token\n', METRICS_TYPE, [
      'www-authenticate: Basic realm="metrics"',
    ]);
  const found = await metrics();
  return typeof found === 'string' ? response('200 OK', found) : inPieces(found);
}

/** Its end is that of the connection. */
function* inPieces(pieces: Iterable<string>): Generator<string> {
  yield `HTTP/1.1 200 OK\r\n${headersOf(METRICS_TYPE).join('\r\n')}\r\n\r\n`;
  yield* pieces;
}

function verdict(problem: string | undefined): string {
  return response(problem === undefined ? '200 OK' : '503 Service Unavailable', `${problem ?? 'ok'}\n`);
}

function response(status: string, text: string, type = METRICS_TYPE, more: readonly string[] = []): string {
  const headers = [...headersOf(type), `content-length: ${Buffer.byteLength(text)}`, ...more];
  return `HTTP/1.1 ${status}\r\n${headers.join('\r\n')}\r\n\r\n${text}`;
}

function headersOf(type: string): readonly string[] {
  return [
    `content-type: ${type}`,
    'cache-control: no-store',
    'x-content-type-options: nosniff',
    'connection: close',
  ];
}
