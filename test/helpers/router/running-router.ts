import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RouteBackend } from '../../../src/router/model.ts';
import { selfSigned } from '../../../src/router/render/default-certificate.ts';
import { readGivenFiles } from '../../../src/router/render/given-files.ts';
import { writeOut } from '../../../src/router/render/write-out.ts';
import { endChild } from '../child.ts';
import { freePort } from '../free-port.ts';
import { waitFor } from '../wait-for.ts';
import { renderRouter } from './render-router.ts';
import { routerSettings, routerTemplate } from './router-settings.ts';

export interface RunningRouter extends AsyncDisposable {
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly folder: string;
  readonly pid: number;
  /** Queries HAProxy's stats socket. */
  readonly ask: (command: string) => Promise<string>;
}

/**
 * A real HAProxy with the whole rendered set, on free loopback ports. `edit` changes haproxy.cfg before it starts;
 * `prefix` is a namespace's. */
export async function startRouter(
  routes: readonly RouteBackend[],
  env: Readonly<Record<string, string>> = {},
  edit: (text: string) => string = (text) => text,
  prefix: readonly string[] = [],
): Promise<RunningRouter> {
  const folder = mkdtempSync(join(tmpdir(), 'hawser-router-'));
  const statsSocket = join(folder, 'stats.sock');
  const httpPort = await freePort();
  const httpsPort = await freePort();
  const settings = routerSettings({
    ROUTER_SERVICE_HTTP_PORT: `${httpPort}`,
    ROUTER_SERVICE_HTTPS_PORT: `${httpsPort}`,
    ROUTER_MAX_CONNECTIONS: '1000',
    ROUTER_THREADS: '1',
    HAWSER_STATS_SOCKET: statsSocket,
    ...env,
  });
  const outcome = renderRouter(
    routerTemplate,
    settings,
    { backends: routes },
    selfSigned('default', new Date()),
    await readGivenFiles(settings),
  );
  if (outcome.kind === 'failed') throw new Error(outcome.message);
  const { pieces: _, ...rendered } = outcome.rendered;
  await writeOut(folder, { ...rendered, text: edit(rendered.text) });
  const [program = '', ...before] = [...prefix, 'haproxy'];
  const child = spawn(program, [...before, '-db', '-f', join(folder, 'haproxy.cfg')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ask = (command: string) => talk(statsSocket, `${command}\n`);
  const stop = async (): Promise<void> => {
    await endChild(child, 'SIGKILL');
    rmSync(folder, { recursive: true });
  };
  try {
    await waitFor('HAProxy to answer', async () => {
      if (child.exitCode !== null) throw new Error(said);
      return (await ask('show info')).includes('Pid:');
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { httpPort, httpsPort, folder, pid: child.pid ?? 0, ask, [Symbol.asyncDispose]: stop };
}

/** Everything received until the other side closes. */
export function talk(where: number | string, message: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = typeof where === 'string' ? connect(where) : connect(where, '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
    socket.on('error', (error) => (chunks.length > 0 ? undefined : reject(error)));
    socket.write(message);
  });
}

/** The first data received; the connection is then closed. */
export function firstError(port: number, message: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(message));
    socket.once('data', (chunk: Buffer) => {
      socket.destroy();
      resolve(chunk.toString('latin1'));
    });
    socket.once('close', () => resolve(''));
    socket.once('error', reject);
  });
}

export interface Answer {
  readonly status: number;
  /** By lower-case name; the values of repeated headers are joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function requestText(host: string, path: string, headers: readonly string[] = []): string {
  return [`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: close', ...headers, '', ''].join('\r\n');
}

export function parseAnswer(text: string): Answer {
  const [head = '', ...body] = text.split('\r\n\r\n');
  const [status = '', ...lines] = head.split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const name = line.slice(0, line.indexOf(':')).toLowerCase();
    const value = line.slice(line.indexOf(':') + 1).trim();
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
  }
  return { status: Number(status.split(' ')[1]), headers, body: body.join('\r\n\r\n') };
}

/** One request without TLS. */
export async function get(
  port: number,
  host: string,
  path: string,
  headers: readonly string[] = [],
): Promise<Answer> {
  return parseAnswer(await talk(port, requestText(host, path, headers)));
}
