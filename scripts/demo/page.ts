import { createServer, type Server, Socket } from 'node:net';
import { join } from 'node:path';
import { codeOf } from '../../src/engine/system/errors.ts';

const PORT = 9446;

/** The programs in the demo's network that make the page available to a browser outside it. */
export interface PageParts {
  /** The page's address in that network. */
  readonly address: string;
  /** The flags of `hawser status`. */
  readonly serve: readonly string[];
  /** Command of a program that forwards a socket file, which is reachable from every network namespace, to the page. */
  readonly bridge: readonly string[];
  /** The path of the socket file. */
  readonly path: string;
}

export function pageParts(dir: string): PageParts {
  const address = `127.0.0.1:${PORT}`;
  const path = join(dir, 'page.sock');
  return {
    address,
    serve: ['--serve', address],
    bridge: ['socat', `UNIX-LISTEN:${path},fork`, `TCP:${address}`],
    path,
  };
}

/** Forwards a port on this machine's loopback to the socket file; `url` is its address. */
export interface Relay extends AsyncDisposable {
  readonly url: string;
}

/** Uses the page's own port if it is free, otherwise any free port. */
export async function startRelay(path: string): Promise<Relay> {
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = new Socket();
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.once('close', () => {
        open.delete(from);
        to.destroy();
      });
      from.on('error', () => to.destroy());
    }
    far.connect(path);
    near.pipe(far).pipe(near);
  });
  const port = await listen(server, PORT).catch((error) => {
    if (codeOf(error) === 'EADDRINUSE') return listen(server, 0);
    throw error;
  });
  return {
    url: `http://127.0.0.1:${port}/`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}
