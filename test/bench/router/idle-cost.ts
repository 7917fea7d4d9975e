import * as z from 'zod/mini';
import { inWorld } from './in-world.ts';

const schema = z.object({
  reloads: z.number(),
  unanswered: z.number(),
  /** Connections closed while idle. */
  closed: z.number(),
  /** Failed requests, one on each connection after the reloads. */
  failed: z.number(),
});

const CLIENTS = 500;

/** The effect of reloads on idle keep-alive connections, with and without `option idle-close-on-response`. */
export async function idleCost(reloads: number): Promise<string> {
  const lines = [`idle keepalive clients, ${CLIENTS}`];
  for (const option of ['true', 'false']) {
    const found = schema.parse(await inWorld('idle-world.ts', [CLIENTS, reloads, option]));
    lines.push(
      `  ROUTER_IDLE_CLOSE_ON_RESPONSE=${option}: ${found.closed} closed, ${found.failed} requests failed, in ${found.reloads} reloads`,
    );
  }
  return lines.join('\n');
}
