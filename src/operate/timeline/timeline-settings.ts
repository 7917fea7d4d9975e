import * as z from 'zod/mini';
import type { CommandSpec } from '../../cli/command-line.ts';
import { absolutePath, directories, serverList, texts } from '../../cli/fields.ts';
import { moment, momentForms } from '../../cli/moment-field.ts';
import { outputFormat } from '../../cli/output-format.ts';
import { parseSettings } from '../../cli/parse-settings.ts';
import { peerFields, peerProblems, peerSettings } from '../../cli/peer-settings.ts';
import { defaultJournalPath, peerFlags } from '../../cli/shared-flags.ts';
import { ConfigError } from '../../engine/system/errors.ts';

export const timelineCommand: CommandSpec = {
  name: 'timeline',
  summary: 'Shows what happened and why, from the journals: VIP moves, servers, reloads, refusals, repairs.',
  // Where the peers are asked, and with which certificate.
  section: 'keepalived',
  positionals: [],
  flags: [
    {
      flag: '--since <time>',
      help: 'a time ago (90m, 24h, 7d), a time (2026-11-21T03:12:00Z, "2026-11-21 03:12"), or all',
      default: '24h',
    },
    { flag: '--until <time>', help: 'likewise (default: no end)' },
    {
      flag: '--journal <dirs>',
      help: `where journals are, several by commas or by repeating it (default: ${defaultJournalPath})`,
      repeats: true,
    },
    {
      flag: '--peers [list]',
      help: 'also ask the other nodes: all known ones, or HOST=IP[:PORT],…',
      inFile: 'never',
    },
    {
      flag: '--kind <kinds>',
      help: 'only these kinds, separated by commas',
      repeats: true,
      typedOnly: true,
    },
    { flag: '--utc', help: "UTC instead of this machine's time zone" },
    ...peerFlags,
    {
      flag: '--last-known <path>',
      help: 'where the keepalived monitor keeps the list of nodes',
      default: '/etc/keepalived/vrrp-nodes.json',
    },
    { flag: '--json', help: 'print JSON, as schemas/timeline.schema.json describes it' },
  ],
  examples: [
    ['hawser timeline', 'the last day on this node'],
    ['hawser timeline --since "2026-11-21 03:00" --until "2026-11-21 03:30" --kind vip,health'],
    [
      'hawser timeline --journal /var/log/hawser --journal /tmp/cp-2 --journal /tmp/cp-3',
      'this node, and copies from two others',
    ],
    ['hawser timeline --peers --since 1h', 'this node and every other (docs/peers.md)'],
    ['hawser timeline --json | jq \'.entries[] | select(.kind == "vip")\''],
  ],
  notes: [
    'Kinds: vip, split-brain, health, repair, reload, rejected, servers, group, process, steering, drill, journal.',
    'After "←" stands what the journals have close in time to a move of a VIP; it is evidence, not proof.',
    'Exit codes: 0 shown, and every journal is whole; 1 a journal lacks lines or has foreign ones; 2 no journal, one that could not be read fully, a node of --peers that did not answer, or usage.',
  ],
};

/** Of the environment a flag without a value comes as one of these words. */
const peerList = z.union([
  z.pipe(
    z.union([z.literal(true), z.enum(['1', 'true', 'yes'])]),
    z.transform(() => 'all' as const),
  ),
  serverList,
]);

/** Without a bound. */
const all = z.pipe(
  z.literal('all'),
  z.transform(() => undefined),
);

/** `kinds` are those that there are. Throws a ConfigError that lists every problem. */
export function timelineSettings<Kind extends string>(
  values: Readonly<Record<string, unknown>>,
  kinds: readonly Kind[],
) {
  const schema = z.object({
    since: z.union([all, moment], { error: `expected ${momentForms}, or all` }),
    until: z.optional(moment),
    journal: z._default(directories, [defaultJournalPath]),
    kind: z.optional(z.pipe(texts, z.array(z.enum(kinds, { error: `expected ${kinds.join(', ')}` })))),
    utc: z._default(z.boolean(), false),
    peers: z.optional(peerList),
    ...peerFields,
    lastKnown: absolutePath,
    json: outputFormat,
  });
  const settings = parseSettings(schema, values);
  const { since, until } = settings;
  if (since !== undefined && until !== undefined && until < since)
    throw new ConfigError([`Cannot use --until "${until}": it is before --since, ${since}`]);
  const problems = settings.peers === undefined ? [] : peerProblems(settings, []);
  if (problems.length > 0) throw new ConfigError(problems);
  return { ...settings, peerAccess: peerSettings(settings) };
}
