import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BedNode } from '../../helpers/vrrp/bed-node.ts';
import { keptParts } from './keeper.ts';

/** Files an administrator installs on a new node, and the links to the container logs, which are not on this disk. */
const stays = new Set(['config.yaml', 'kubeconfig', ...keptParts.map((part) => `${part}.log`)]);

/** Removes everything else from the node's disk. Its journal is copied to `kept`, next to earlier ones. */
export function wipeDisk(node: Pick<BedNode, 'dir' | 'at'>, kept: string): void {
  mkdirSync(kept, { recursive: true });
  if (existsSync(node.at('journal')))
    cpSync(node.at('journal'), join(kept, `${readdirSync(kept).length + 1}`), { recursive: true });
  for (const name of readdirSync(node.dir))
    if (!stays.has(name)) rmSync(node.at(name), { recursive: true, force: true });
}

/** The journals saved by `wipeDisk`, oldest first. */
export function keptJournals(kept: string): readonly string[] {
  if (!existsSync(kept)) return [];
  return readdirSync(kept)
    .toSorted((a, b) => Number(a) - Number(b))
    .map((name) => join(kept, name));
}
