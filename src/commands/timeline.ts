import { type CommandContext, hasColours, printAs } from '../cli/run-command.ts';
import { exitCodeOf } from '../operate/exit-code.ts';
import { collectJournals } from '../operate/timeline/collect.ts';
import { openRange, timelineReport } from '../operate/timeline/report.ts';
import { timelineLines } from '../operate/timeline/timeline-lines.ts';
import { type TimelineSettings, timelineCommand } from '../operate/timeline/timeline-settings.ts';
import { allJournals } from './journal-words.ts';

/** More than anyone reads, and about 20 MB of memory. */
const MOST_ENTRIES = 10_000;

export const spec = timelineCommand;

export async function run(settings: TimelineSettings, { env }: CommandContext): Promise<number> {
  const { since = openRange.since, until = openRange.until } = settings;
  const range = { since, until };
  const collected = collectJournals(settings.journal, range, MOST_ENTRIES);
  const report = timelineReport(collected, range, allJournals, settings.kind);
  const style = { colours: hasColours(env), utc: settings.utc, words: allJournals };
  await printAs(settings.json, report, () => timelineLines(report, style));
  return exitCodeOf(report);
}
