import { createServer, type ServerResponse } from 'node:http';

export interface Endpoint {
  /** Undefined while all is well, else one line that says what is not. */
  readonly trouble: () => string | undefined;
  readonly metrics: () => Promise<string>;
}

/**
 * `/healthz` for the kubelet and `/metrics` for Prometheus, until `signal` aborts. Rejects with the system's error
 * where the address is taken or not ours.
 */
export async function serveEndpoint(
  address: { readonly host: string; readonly port: number },
  endpoint: Endpoint,
  signal: AbortSignal,
): Promise<void> {
  const server = createServer((request, response) => {
    void answer(request.url ?? '', endpoint, response).catch(() => response.destroy());
  });
  // A reader that hangs costs a connection, not a probe.
  server.requestTimeout = 5_000;
  server.maxConnections = 64;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, resolve);
  });
  server.on('error', () => undefined);
  signal.addEventListener('abort', () => server.close().closeAllConnections(), { once: true });
}

async function answer(url: string, endpoint: Endpoint, response: ServerResponse): Promise<void> {
  if (url === '/metrics') return send(response, 200, await endpoint.metrics());
  if (url !== '/healthz') return send(response, 404, 'expected /healthz or /metrics\n');
  const trouble = endpoint.trouble();
  return send(response, trouble === undefined ? 200 : 503, `${trouble ?? 'ok'}\n`);
}

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
  response.end(text);
}
