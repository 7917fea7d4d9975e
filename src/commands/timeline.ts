import { readCommandLine } from '../config/command-line.ts';
import { timelineCommand, timelineSettings } from '../config/timeline-settings.ts';
import { journalKinds } from '../observe/journal/journal-line.ts';
import { collectJournals } from '../observe/timeline/collect.ts';
import { exitCodeOf, openRange, timelineReport } from '../observe/timeline/report.ts';
import { timelineLines } from '../observe/timeline/timeline-lines.ts';
import { verdictLines } from '../observe/timeline/verdict-lines.ts';

/** More than anybody reads, and some 20 MB of memory. */
const MOST_ENTRIES = 10_000;

/** `hawser timeline`. */
export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(timelineCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  const settings = timelineSettings(line.values, journalKinds);
  const { since = openRange.since, until = openRange.until } = settings;
  const range = { since, until };
  const report = timelineReport(collectJournals(settings.journal, range, MOST_ENTRIES), range, settings.kind);
  const colours = process.stdout.isTTY && !env['NO_COLOR'];
  const shown = settings.verify
    ? verdictLines(report, settings.utc)
    : timelineLines(report, { colours, utc: settings.utc });
  await print(settings.json ? JSON.stringify(report) : shown.join('\n'));
  return exitCodeOf(report);
}

/** A reader that has seen enough, such as `head`, is no failure. */
async function print(text: string): Promise<void> {
  await new Promise<void>((resolve) => {
    process.stdout.once('error', () => resolve());
    process.stdout.write(`${text}\n`, () => resolve());
  });
}
