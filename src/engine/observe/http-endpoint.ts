import { createServer, isIP, type Server, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { serveUntil } from '../system/network/serve-until.ts';

export interface Endpoint {
  /** Undefined if the program is healthy, otherwise one line about the problem. */
  readonly trouble: () => string | undefined;
  /** Why the program is not ready; undefined if it is. Absent if the program has no `/readyz` and `/healthz/ready`. */
  readonly unready?: () => string | undefined | Promise<string | undefined>;
  /** The metrics. Returned in pieces if the complete text would take too much memory. */
  readonly metrics: () => Promise<string | Iterable<string>> | string;
  /** Absent if every client may read the metrics. */
  readonly mayReadMetrics?: (reader: Reader) => Promise<boolean>;
  /** This process's status as JSON; answers quickly. */
  readonly status: () => Promise<object> | object;
}

/** Creates the server: `createServer` of `node:net`, or one that terminates TLS. */
export type OpenServer = (onSocket: (socket: Socket) => void) => Server;

export interface Reader {
  /** Value of the header; '' if absent. */
  readonly authorization: string;
  /** Whether the request came over loopback and not through a proxy. */
  readonly isLocal: boolean;
}

/** A request has no body, and a probe's headers are short. */
const MAX_HEAD_CHARACTERS = 8_192;
/** How long a connection may be idle, so that a hung client does not keep it. */
export const IDLE_TIMEOUT_MS = 5_000;
/** From the connection to the end of its answer, so that a client that sends or reads byte by byte does not keep it. */
const CONNECTION_TIMEOUT_MS = 30_000;
/** The oldest connection is dropped: the kubelet sends its request at once, and must not be locked out by idle connections. */
const PLACES = { connections: 64, whenFull: 'oldest-goes' } as const;
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Serves `/healthz` and `/readyz` for the kubelet, `/metrics` for Prometheus and `/status` for hawser's commands, until `signal` aborts. Rejects with
 * the system's error if the address is in use or not local. The status is served here and not only on a socket, because the sockets are in volumes
 * of the pods, while all pods share the node's loopback. The status contains more than numbers, so only local requests are answered: none from
 * other machines, from a proxy on this machine, or from pages of other sites. Implements only the part of HTTP/1.1 that these GETs need, with one
 * request for each connection, because `node:http` alone would cost a supervisor 12 MB (docs/internals/decisions/0003).
 */
export async function serveEndpoint(
  address: { readonly host: string; readonly port: number },
  endpoint: Endpoint,
  signal: AbortSignal,
  open: OpenServer = createServer,
): Promise<void> {
  await serveAnswers(address, (head, socket) => answerOf(head, socket, endpoint), signal, open);
}

type Answer = string | Iterable<string>;

/** Answers one request for each connection, from its head. Limits the size, the time and the number of connections. A rejection closes the connection. */
export async function serveAnswers(
  address: { readonly host: string; readonly port: number },
  answerTo: (head: string, socket: Connection) => Promise<Answer>,
  signal: AbortSignal,
  open: OpenServer = createServer,
): Promise<void> {
  const server = open((socket) => converse(socket, answerTo));
  await serveUntil(server, address, PLACES, signal);
}

function converse(socket: Socket, answerTo: (head: string, socket: Connection) => Promise<Answer>): void {
  let head = '';
  const late = setTimeout(() => socket.destroy(), CONNECTION_TIMEOUT_MS).unref();
  socket.once('close', () => clearTimeout(late));
  socket.setTimeout(IDLE_TIMEOUT_MS, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.setEncoding('latin1');
  const read = (text: string): void => {
    head += text;
    if (head.length > MAX_HEAD_CHARACTERS) return void socket.destroy();
    if (!head.includes('\r\n\r\n')) return;
    // Further data is ignored: each connection gets one answer.
    socket.off('data', read);
    socket.resume();
    void answerTo(head, socket)
      .then((answer) => pipeline(Readable.from(typeof answer === 'string' ? [answer] : answer), socket))
      .catch(() => socket.destroy());
  };
  socket.on('data', read);
}

async function answerOf(head: string, socket: Connection, endpoint: Endpoint): Promise<Answer> {
  const url = pathOf(head);
  switch (url) {
    case undefined:
      return NO_GET;
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

const NO_GET = response('405 Method Not Allowed', 'expected GET\n');

/** The path of a GET request; undefined for another method. */
export function pathOf(head: string): string | undefined {
  const [method, url = ''] = head.split(' ', 2);
  return method === 'GET' ? url : undefined;
}

async function json(head: string, socket: Connection, status: Endpoint['status']): Promise<string> {
  if (!isLocalRequest(head, socket))
    return response('403 Forbidden', 'expected a request over loopback without a proxy\n');
  if (!hasLocalHost(head))
    return response('403 Forbidden', 'expected localhost or a loopback address in the Host header\n');
  return response('200 OK', `${JSON.stringify(await status())}\n`, 'application/json');
}

function readerOf(head: string, socket: Connection): Reader {
  return { authorization: authorizationIn(head), isLocal: isLocalRequest(head, socket) };
}

/** The value of the `Authorization` header; empty if absent. */
export function authorizationIn(head: string): string {
  const [, authorization = ''] = /^authorization:(.*)$/im.exec(head) ?? [];
  return authorization.trim();
}

async function metricsOf(reader: Reader, { metrics, mayReadMetrics }: Endpoint): Promise<Answer> {
  if (mayReadMetrics !== undefined && !(await mayReadMetrics(reader)))
    return response('401 Unauthorized', 'expected a user or a token\n', METRICS_TYPE, [
      'www-authenticate: Basic realm="metrics"',
    ]);
  return metricsResponse(await metrics());
}

export function metricsResponse(found: Answer): Answer {
  return typeof found === 'string' ? response('200 OK', found) : inPieces(found);
}

/** A response in pieces. The end of the connection ends the body. */
function* inPieces(pieces: Iterable<string>): Generator<string> {
  yield `HTTP/1.1 200 OK\r\n${headersOf(METRICS_TYPE).join('\r\n')}\r\n\r\n`;
  yield* pieces;
}

function verdict(problem: string | undefined): string {
  return response(problem === undefined ? '200 OK' : '503 Service Unavailable', `${problem ?? 'ok'}\n`);
}

export function response(
  status: string,
  text: string,
  type = METRICS_TYPE,
  more: readonly string[] = [],
): string {
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

export interface Connection {
  readonly localAddress?: string | undefined;
  readonly remoteAddress?: string | undefined;
}

/**
 * Whether a request came over loopback from a local program. Requests to another address of the machine do not qualify, because a tenant's
 * endpoints could direct a proxy on this machine there. Requests with headers that proxies add do not qualify either.
 */
export function isLocalRequest(head: string, { remoteAddress = '' }: Connection): boolean {
  return isLoopback(remoteAddress.replace(/^::ffff:/, '')) && !FORWARDED.test(head);
}

const FORWARDED = /^(?:x-forwarded-[^:]*|forwarded|via)[ \t]*:/im;

/** Whether the `Host` header is `localhost` or a loopback address. A browser page after DNS rebinding sends its own name. */
export function hasLocalHost(head: string): boolean {
  const [, value = ''] = /^host:[ \t]*(\S*)[ \t]*$/im.exec(head) ?? [];
  const host = value.replace(/:\d{1,5}$/, '').replace(/^\[(.*)\]$/, '$1');
  return host.toLowerCase() === 'localhost' || isLoopback(host);
}

export function isLoopback(address: string): boolean {
  return isIP(address) !== 0 && (address === '::1' || address.startsWith('127.'));
}
