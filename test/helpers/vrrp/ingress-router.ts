import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { BedNode } from './bed-node.ts';
import type { BedProcess } from './bed-process.ts';

export const routerHealth = { port: 1936, path: '/healthz/ready' } as const;

/** A ready router on every address of the node. Its log is `router.log`. */
export function startRouter(node: BedNode): BedProcess {
  return node.start('router', [process.execPath, fileURLToPath(import.meta.url)]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = createServer(({ url }, response) => {
    response.writeHead(url === routerHealth.path ? 200 : 404).end();
  });
  server.listen(routerHealth.port, '::');
}
