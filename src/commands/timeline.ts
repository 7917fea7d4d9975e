import { readCommandLine } from '../cli/command-line.ts';
import { printText } from '../cli/print-text.ts';
import { readSettingsFile } from '../cli/read-settings-file.ts';
import { structuredWriter } from '../cli/structured-text.ts';
import { journalKinds } from '../engine/observe/journal/journal-line.ts';
import { forgivingReader, type SettingsFileReading } from '../operate/doctor/doctor-settings.ts';
import { collectJournals, type Range } from '../operate/timeline/collect.ts';
import { fetchPeerJournals, type PeerJournals } from '../operate/timeline/peer-journals.ts';
import { exitCodeOf, openRange, timelineReport } from '../operate/timeline/report.ts';
import { timelineLines } from '../operate/timeline/timeline-lines.ts';
import { timelineCommand, timelineSettings } from '../operate/timeline/timeline-settings.ts';

/** More than anyone reads, and some 20 MB of memory. */
const MOST_ENTRIES = 10_000;

export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  // Works with broken settings too, except that the other nodes cannot be asked.
  const file = forgivingReader(readSettingsFile);
  const line = readCommandLine(timelineCommand, argv, env, file.read);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  const settings = timelineSettings(line.values, journalKinds);
  const { since = openRange.since, until = openRange.until } = settings;
  const range = { since, until };
  const { fetched, unread } = await peerJournals(settings, file.look(), range);
  const collected = collectJournals(settings.journal, range, MOST_ENTRIES, fetched);
  const all = { ...collected, unread: [...collected.unread, ...unread] };
  const report = timelineReport(all, range, settings.kind);
  const colours = process.stdout.isTTY && !env['NO_COLOR'];
  const shown = timelineLines(report, { colours, utc: settings.utc });
  await printText(settings.json ? (await structuredWriter(settings.json))(report) : shown.join('\n'));
  return exitCodeOf(report);
}

async function peerJournals(
  settings: ReturnType<typeof timelineSettings>,
  file: SettingsFileReading,
  range: Range,
): Promise<PeerJournals> {
  if (settings.peers === undefined) return { fetched: [], unread: [] };
  if (file.kind === 'broken' && settings.peerAccess === undefined)
    return { fetched: [], unread: file.problems.map((problem) => ({ path: 'the other nodes', problem })) };
  const { lastKnown, peerAccess: access } = settings;
  return await fetchPeerJournals(settings.peers, { lastKnown, access }, range);
}
