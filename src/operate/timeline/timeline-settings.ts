import * as z from 'zod/mini';
import { commandSpec, flag, jsonFlag, type SettingsOf, toggle } from '../../cli/command-spec.ts';
import { directories, listOf } from '../../cli/fields.ts';
import { moment, momentForms } from '../../cli/moment-field.ts';
import { defaultJournalPath } from '../../cli/shared-flags.ts';
import { journalKinds } from '../../engine/observe/journal/journal-line.ts';
import { ConfigError } from '../../engine/system/errors.ts';

/** The value for no bound. */
const all = z.pipe(
  z.literal('all'),
  z.transform(() => undefined),
);

export const timelineCommand = commandSpec({
  name: 'timeline',
  summary:
    'Shows what happened and why, from the journals: VIP moves, servers, reloads, rejections, repairs.',
  flags: {
    since: flag(
      '<time>',
      z.union([all, moment], { error: `expected ${momentForms}, or all` }),
      'a time ago (90m, 24h, 7d), a time (2026-11-21T03:12:00Z, "2026-11-21 03:12"), or all',
      { default: '24h' },
    ),
    until: flag('<time>', z.optional(moment), 'in the same form (default: no end)'),
    journal: flag(
      '<dirs>',
      z._default(directories, [defaultJournalPath]),
      `directories of journals, separated by commas or repeated (default: ${defaultJournalPath})`,
      { repeats: true },
    ),
    kind: flag(
      '<kinds>',
      z.optional(listOf(z.enum(journalKinds, { error: `expected ${journalKinds.join(', ')}` }))),
      'only these kinds, separated by commas',
      { repeats: true, typedOnly: true, choices: journalKinds },
    ),
    utc: toggle("UTC instead of this machine's time zone"),
    json: jsonFlag('print JSON, as schemas/timeline.schema.json describes it'),
  },
  examples: [
    ['hawser timeline', 'the last day on this node'],
    ['hawser timeline --since "2026-11-21 03:00" --until "2026-11-21 03:30" --kind vip,health'],
    [
      'hawser timeline --journal /var/log/hawser --journal /tmp/cp-2 --journal /tmp/cp-3',
      'this node, and copies from two others',
    ],
    ['hawser timeline --json | jq \'.entries[] | select(.kind == "vip")\''],
  ],
  notes: [
    'Kinds: vip, split-brain, health, repair, reload, rejected, servers, group, process, steering, journal.',
    'The text after "←" is what the journals contain close in time to a VIP move: evidence, not proof.',
    'Exit codes: 0 all journals are intact; 1 a journal lacks lines or has foreign lines; 2 no journal, a journal that could not be read completely, or usage.',
  ],
  derive: (settings) => {
    const { since, until } = settings;
    if (since !== undefined && until !== undefined && until < since)
      throw new ConfigError([`Cannot use --until "${until}": it is before --since, ${since}`]);
    return settings;
  },
});

export type TimelineSettings = SettingsOf<typeof timelineCommand>;
