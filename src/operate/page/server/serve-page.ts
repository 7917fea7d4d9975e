import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { messageOf } from '../../../engine/system/errors.ts';
import { serveUntil } from '../../../engine/system/network/serve-until.ts';
import { type Audience, createAudience } from './audience.ts';
import { refusalOf, safetyHeaders } from './guard.ts';
import { createSnapshots, type PageSource, type Snapshot } from './snapshots.ts';

/** The files that the page loads, each as text. */
export interface PageAssets {
  readonly style: string;
  readonly script: string;
  readonly icon: string;
}

interface PageOptions {
  readonly address: { readonly host: string; readonly port: number };
  readonly assets: PageAssets;
  readonly source: PageSource;
  readonly signal: AbortSignal;
}

const PLACES = { connections: 64, whenFull: 'newest-goes' } as const;
/** A reader that hangs costs a connection, not a place for ever. */
const PATIENCE_MS = 10_000;

/**
 * Serves the page until `signal` aborts. Resolves once it listens; rejects with the system's error if the address is in
 * use or not ours. It uses neither TLS nor a password: everyone who can reach the address can read it.
 */
export async function servePage({ address, assets, source, signal }: PageOptions): Promise<void> {
  const snapshot = createSnapshots(source);
  const audience = createAudience(snapshot, signal);
  const limits = { maxHeaderSize: 16_384, headersTimeout: PATIENCE_MS, requestTimeout: PATIENCE_MS };
  const server = createServer(limits, (request, response) => {
    void answer(request, response, { assets, snapshot, audience });
  });
  await serveUntil(server, address, PLACES, signal);
}

interface Parts {
  readonly assets: PageAssets;
  readonly snapshot: () => Promise<Snapshot>;
  readonly audience: Audience;
}

async function answer(request: IncomingMessage, response: ServerResponse, parts: Parts): Promise<void> {
  const { method, url = '', headers } = request;
  const refusal = refusalOf({ method, host: headers.host, site: headers['sec-fetch-site']?.toString() });
  if (refusal !== undefined) return refuse(response, refusal.status, refusal.text);
  const { assets, snapshot } = parts;
  switch (url.split('?', 1)[0]) {
    case '/':
      return await snapshot().then(
        (seen) => send(response, 'text/html; charset=utf-8', seen.document()),
        (error) => refuse(response, 503, `Cannot look at the cluster: ${messageOf(error)}`),
      );
    case '/events':
      return stream(request, response, parts.audience);
    case '/page.css':
      return send(response, 'text/css; charset=utf-8', assets.style);
    case '/page.js':
      return send(response, 'text/javascript; charset=utf-8', assets.script);
    case '/icon.svg':
      return send(response, 'image/svg+xml', assets.icon);
    default:
      return refuse(response, 404, 'expected /');
  }
}

function stream({ method }: IncomingMessage, response: ServerResponse, audience: Audience): void {
  const headers = { ...safetyHeaders, 'content-type': 'text/event-stream' };
  if (method === 'HEAD') return void response.writeHead(200, headers).end();
  // Sent with the first write, which only comes if there is a place.
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (!audience.admit(response)) refuse(response, 503, 'too many watch already, expected one to leave');
}

function send(response: ServerResponse, type: string, text: string): void {
  const headers = { 'content-type': type, 'content-length': Buffer.byteLength(text) };
  response.writeHead(200, { ...safetyHeaders, ...headers }).end(text);
}

function refuse(response: ServerResponse, status: number, text: string): void {
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    ...(status === 405 && { allow: 'GET, HEAD' }),
  };
  response.writeHead(status, { ...safetyHeaders, ...headers }).end(`${text}\n`);
}
