import { createHash } from 'node:crypto';
import { holdName } from '../../system/network/held-name.ts';

/** Resolves with whether this process is now the only one that writes this program's journal there. */
export async function claimJournal(directory: string, program: string): Promise<boolean> {
  const digest = createHash('sha256').update(`${directory}\0${program}`).digest('hex');
  return await holdName(`hawser-journal-${digest}`);
}
