/**
 * A program: serves the backends of its only argument (JSON) until its stdin ends. Reads `stop NAME` and `start NAME` from stdin.
 * Prints one line of JSON for each completed order, and for each connection that ended without sending a byte.
 */
import { createInterface } from 'node:readline';
import * as z from 'zod/mini';
import { createBackend } from './backend-server.ts';

const plan = z
  .object({
    backends: z.array(
      z.object({ name: z.string(), host: z.string(), port: z.number(), tlsPort: z.optional(z.number()) }),
    ),
    cert: z.string(),
    key: z.string(),
  })
  .parse(JSON.parse(process.argv[2] ?? '{}'));

const say = (done: string, name: string) => process.stdout.write(`${JSON.stringify({ done, name })}\n`);
const servers = new Map(
  plan.backends.map((backend) => [
    backend.name,
    createBackend(backend, plan, () => say('silent', backend.name)),
  ]),
);

// Ctrl-C in a terminal reaches the whole process group, but the bench decides when its backends end.
process.on('SIGINT', () => {});
for (const [name, server] of servers) {
  await server.start();
  say('start', name);
}
for await (const line of createInterface({ input: process.stdin })) {
  const [order, name = ''] = line.split(' ');
  const server = servers.get(name);
  if (server === undefined || (order !== 'stop' && order !== 'start'))
    throw new Error(`Cannot obey "${line}": expected start or stop and the name of a backend`);
  await server[order]();
  say(order, name);
}
process.exit(0);
