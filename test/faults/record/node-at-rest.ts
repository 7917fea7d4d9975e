import { readdirSync } from 'node:fs';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import type { BedNode } from '../../helpers/vrrp/bed-node.ts';
import { keptParts } from '../world/keeper.ts';
import { supervisorStatus } from '../world/supervisor-status.ts';
import type { World } from '../world/world.ts';
import type { EntryOf } from './history.ts';
import { shaOf } from './node-watch.ts';

export async function nodeAtRest(world: World, node: BedNode, episode: number): Promise<EntryOf<'node'>> {
  const status = await supervisorStatus(node);
  return {
    kind: 'node',
    atMs: monotonicMs(),
    node: node.name,
    episode,
    served: status?.current?.configSha256 ?? null,
    configured: shaOf(node.at('haproxy.cfg')),
    draining: status?.draining.length ?? 0,
    processes: node.processes().length,
    descriptors: Object.fromEntries(
      keptParts.flatMap((part) => {
        const id = world.keeper.part(node, part)?.id;
        return id === undefined || part === 'apiserver' ? [] : [[part, descriptorsOf(id.pid)]];
      }),
    ),
    files: filesOf(node),
  };
}

function descriptorsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

/** All files except the journals, which rotate on their own. */
function filesOf(node: BedNode): readonly string[] & string[] {
  const files = readdirSync(node.dir, { recursive: true }).map(String);
  return files.filter((file) => !file.startsWith('journal')).sort();
}
