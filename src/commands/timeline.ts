import type { SettingsFileReading } from '../cli/forgiving-reader.ts';
import { printText } from '../cli/print-text.ts';
import type { CommandContext } from '../cli/run-command.ts';
import type { SettingsReader } from '../cli/settings-values.ts';
import { structuredWriter } from '../cli/structured-text.ts';
import { collectJournals, type Range } from '../operate/timeline/collect.ts';
import { fetchPeerJournals, type PeerJournals } from '../operate/timeline/peer-journals.ts';
import { exitCodeOf, openRange, timelineReport } from '../operate/timeline/report.ts';
import { timelineLines } from '../operate/timeline/timeline-lines.ts';
import { type TimelineSettings, timelineCommand } from '../operate/timeline/timeline-settings.ts';
import { knownNodes } from '../vip/group/known-nodes.ts';
import { allJournals } from './journal-words.ts';

/** More than anyone reads, and some 20 MB of memory. */
const MOST_ENTRIES = 10_000;

export const spec = timelineCommand;

/** Works with broken settings too, except that the other nodes cannot be asked. */
export const settingsReader = (_: unknown, usual: SettingsReader): SettingsReader => usual;

export async function run(
  settings: TimelineSettings,
  { env, settingsFile }: CommandContext,
): Promise<number> {
  const { since = openRange.since, until = openRange.until } = settings;
  const range = { since, until };
  const { fetched, unread, clocks } = await peerJournals(settings, settingsFile, range);
  const collected = collectJournals(settings.journal, range, MOST_ENTRIES, fetched);
  const all = { ...collected, unread: [...collected.unread, ...unread] };
  const report = timelineReport(all, range, allJournals, settings.kind, clocks);
  const colours = process.stdout.isTTY && !env['NO_COLOR'];
  const shown = timelineLines(report, { colours, utc: settings.utc, words: allJournals });
  await printText(settings.json ? (await structuredWriter(settings.json))(report) : shown.join('\n'));
  return exitCodeOf(report);
}

async function peerJournals(
  settings: TimelineSettings,
  file: SettingsFileReading,
  range: Range,
): Promise<PeerJournals> {
  if (settings.peers === undefined) return { fetched: [], unread: [], clocks: [] };
  if (file.kind === 'broken' && settings.peerAccess === undefined)
    return {
      fetched: [],
      unread: file.problems.map((problem) => ({ path: 'the other nodes', problem })),
      clocks: [],
    };
  const { lastKnown, peerAccess: access } = settings;
  return await fetchPeerJournals(settings.peers, { lastKnown, nodesIn: knownNodes, access }, range);
}
