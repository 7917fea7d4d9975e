import { createServer } from 'node:net';

const given = new Set<number>();

/** A port of loopback that was free a moment ago, another one each time: some are wanted for their silence. */
export async function freePort(): Promise<number> {
  const port = await anyFreePort();
  if (given.has(port)) return await freePort();
  given.add(port);
  return port;
}

async function anyFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
