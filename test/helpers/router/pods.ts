import {
  createServer as createHttp,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:tls';
import type { BackendServer } from '../../../src/router/model.ts';
import type { IssuedCertificate } from '../certificates.ts';
import { type Answer, parseAnswer, requestText } from './running-router.ts';

/** What a pod saw of a request. */
export interface SeenRequest {
  readonly pod: string;
  readonly url: string;
  readonly tls: boolean;
  /** Names and values alternating, as received. */
  readonly headers: readonly string[];
}

export interface Pod extends Disposable {
  readonly server: BackendServer;
}

/** Echoes each request as JSON. */
export async function startPod(
  name: string,
  certificate?: IssuedCertificate,
  more: Partial<BackendServer> = {},
): Promise<Pod> {
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const { url = '', rawHeaders: headers } = request;
    const seen: SeenRequest = { pod: name, url, tls: certificate !== undefined, headers };
    response.setHeader('Server', 'pod').setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(seen));
  };
  const pod: Server = certificate === undefined ? createHttp(answer) : createHttps(certificate, answer);
  await new Promise<void>((resolve) => pod.listen(0, '127.0.0.1', resolve));
  const { port } = pod.address() as AddressInfo;
  const server = {
    name: `pod:${name}`,
    address: '127.0.0.1',
    port,
    weight: 1,
    h2c: false,
  };
  return {
    server: { ...server, ...more },
    [Symbol.dispose]: () => {
      pod.close();
      pod.closeAllConnections();
    },
  };
}

export function seen({ body }: Answer): SeenRequest {
  const found: SeenRequest = JSON.parse(body);
  return found;
}

/** The values of a header that a pod saw. */
export function headerAtPod(answer: Answer, name: string): readonly string[] {
  const { headers } = seen(answer);
  return headers.filter((_value, index) => index % 2 === 1 && headers[index - 1]?.toLowerCase() === name);
}

/** One request over TLS, and the common name of the server's certificate. */
export function getTls(
  port: number,
  servername: string | undefined,
  host: string,
  path: string,
  headers: readonly string[] = [],
): Promise<Answer & { readonly commonName: string }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let commonName = '';
    const options = { port, host: '127.0.0.1', rejectUnauthorized: false, ...(servername && { servername }) };
    const socket = connect(options, () => {
      commonName = `${socket.getPeerCertificate().subject?.CN ?? ''}`;
      socket.write(requestText(host, path, headers));
    });
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('close', () =>
      resolve({ ...parseAnswer(Buffer.concat(chunks).toString('latin1')), commonName }),
    );
    socket.on('error', (error) => (chunks.length > 0 ? undefined : reject(error)));
  });
}
