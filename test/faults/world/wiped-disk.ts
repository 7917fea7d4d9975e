import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BedNode } from '../../helpers/vrrp/bed-node.ts';
import { keptParts } from './keeper.ts';

/** Files that an administrator brings to a new node, and the folder of container output, which is not on the disk. */
const stays = new Set(['config.yaml', 'kubeconfig', ...keptParts.map((part) => `${part}.log`)]);

/** Removes everything else from the node's disk. Its journal moves below `kept`, next to earlier ones. */
export function wipeDisk(node: Pick<BedNode, 'dir' | 'at'>, kept: string): void {
  mkdirSync(kept, { recursive: true });
  if (existsSync(node.at('journal')))
    cpSync(node.at('journal'), join(kept, `${readdirSync(kept).length + 1}`), { recursive: true });
  for (const name of readdirSync(node.dir))
    if (!stays.has(name)) rmSync(node.at(name), { recursive: true, force: true });
}

/** Those that were put there, the oldest first. */
export function keptJournals(kept: string): readonly string[] {
  if (!existsSync(kept)) return [];
  return readdirSync(kept)
    .toSorted((a, b) => Number(a) - Number(b))
    .map((name) => join(kept, name));
}
