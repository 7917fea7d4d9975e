import * as z from 'zod/mini';
import { inWorld } from './in-world.ts';

const schema = z.object({
  reloads: z.number(),
  unanswered: z.number(),
  /** While they were idle. */
  closed: z.number(),
  /** Of a request on each connection after the reloads. */
  failed: z.number(),
});

const CLIENTS = 500;

/** What reloads do to idle keepalive connections, with and without `option idle-close-on-response`. */
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
