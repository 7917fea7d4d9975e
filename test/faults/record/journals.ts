import { existsSync } from 'node:fs';
import { journalsIn, scanJournal } from '../../../src/engine/observe/journal/read-journal.ts';
import type { BedNode } from '../../helpers/vrrp/bed-node.ts';
import type { HistoryWriter } from './history.ts';

/** Adds every line of the nodes' journals, with their clock translated. */
export function recordJournals(
  nodes: readonly BedNode[],
  { write }: HistoryWriter,
  wallOffsetMs: number,
): void {
  for (const node of nodes) {
    if (!existsSync(node.at('journal'))) continue;
    for (const files of journalsIn(node.at('journal')).values())
      for (const item of scanJournal(files))
        if (item.kind === 'line')
          write({ kind: 'journal', atMs: Date.parse(item.line.at) - wallOffsetMs, line: item.line });
  }
}
