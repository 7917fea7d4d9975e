import { createServer, type Server } from 'node:net';

/** Below the ports that the kernel gives to clients and to listeners on port 0, and below hawser's own. */
const [FIRST, COUNT] = [10_000, 19_000] as const;

const given = new Set<number>();

/**
 * A loopback port on which nothing listens, a different one each time for as long as this process runs: some are wanted
 * for their silence. No other process gets it from here in the meantime, and the kernel does not assign it.
 */
export async function freePort(): Promise<number> {
  const port = FIRST + Math.floor(Math.random() * COUNT);
  if (given.has(port) || !(await isReserved(port))) return await freePort();
  given.add(port);
  return port;
}

async function isReserved(port: number): Promise<boolean> {
  // A name in the abstract socket namespace, which is released when the process that holds it ends.
  const name = await listening({ path: `\0hawser-test-port-${port}` });
  if (name === undefined) return false;
  const server = await listening({ port, host: '127.0.0.1' });
  if (server !== undefined) await new Promise((resolve) => server.close(resolve));
  else name.close();
  return server !== undefined;
}

/** Undefined if it is taken. */
async function listening(
  where: { readonly path: string } | { readonly port: number; readonly host: string },
) {
  const server = createServer().unref();
  return await new Promise<Server | undefined>((resolve) => {
    server.once('error', () => resolve(undefined));
    server.listen(where, () => resolve(server));
  });
}
