import * as z from 'zod/mini';
import { linesOf } from '../../helpers/vrrp/node-log.ts';
import type { World } from '../world/world.ts';
import type { HistoryWriter } from './history.ts';

const reloadSchema = z.object({ time: z.string(), cause: z.string() });

/** Adds every reload of keepalived. Only the supervisor's log records them. */
export function recordReloads({ nodes, clocks }: World, { write }: HistoryWriter): void {
  for (const node of nodes)
    for (const line of linesOf(node, 'keepalived')) {
      if (line.event !== 'keepalived-reloaded') continue;
      const { time, cause } = reloadSchema.parse(line);
      write({ kind: 'reload', atMs: clocks.monotonicOf(node, Date.parse(time)), node: node.name, cause });
    }
}
