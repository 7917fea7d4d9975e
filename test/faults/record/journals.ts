import { existsSync } from 'node:fs';
import type { JournalLine } from '../../../src/engine/observe/journal/journal-line.ts';
import { journalsIn, scanJournal } from '../../../src/engine/observe/journal/read-journal.ts';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import type { BedNode } from '../../helpers/vrrp/bed-node.ts';
import type { World } from '../world/world.ts';
import type { HistoryWriter } from './history.ts';

/** Adds every line of the nodes' journals, with timestamps converted to the machine's clock. */
export function recordJournals({ nodes, clocks, journals }: World, { write }: HistoryWriter): void {
  const wallOffsetMs = Date.now() - monotonicMs();
  const tell = (node: BedNode, line: JournalLine) => {
    const atMs = clocks.monotonicOf(node, Date.parse(line.at));
    write({ kind: 'journal', atMs, line: { ...line, at: new Date(atMs + wallOffsetMs).toISOString() } });
  };
  for (const node of nodes)
    for (const folder of journals(node).filter(existsSync))
      for (const files of journalsIn(folder).values())
        for (const item of scanJournal(files)) if (item.kind === 'line') tell(node, item.line);
}
