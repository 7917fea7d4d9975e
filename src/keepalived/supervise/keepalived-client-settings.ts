import * as z from 'zod/mini';
import type { CommandSpec, Flag } from '../../cli/command-line.ts';
import { durationMs } from '../../cli/duration.ts';
import { socketPath } from '../../cli/fields.ts';
import { outputFormat } from '../../cli/output-format.ts';
import { parseSettings } from '../../cli/parse-settings.ts';

const flags: readonly Flag[] = [
  {
    flag: '--socket <path>',
    help: "the supervisor's control socket",
    default: '/var/run/keepalived/keepalived.sock',
  },
  { flag: '--timeout <duration>', help: 'how long to wait for the answer', default: '30s' },
];

const jsonFlag: Flag = { flag: '--json', help: 'print the answer as it came' };

export const keepalivedReloadCommand: CommandSpec = {
  name: 'keepalived reload',
  summary: 'Asks the supervisor for a reload and prints its answer when keepalived uses the configuration.',
  positionals: [],
  flags: [...flags, jsonFlag],
  examples: [['hawser keepalived reload', 'after an edit by hand; a refusal changes nothing']],
  notes: ['Exit codes: 0 keepalived uses the configuration, 1 refused or no answer, 2 usage.'],
};

export const keepalivedStatusCommand: CommandSpec = {
  name: 'keepalived status',
  summary: 'Shows which VIPs this node holds, since when and why.',
  positionals: [],
  flags: [...flags, jsonFlag, { flag: '--alive', help: 'exit with 0 for any answer, for use as a probe' }],
  examples: [
    ['hawser keepalived status'],
    ["hawser keepalived status --json | jq -r '.instances[] | [.name, .state] | @tsv'"],
  ],
  notes: ['Exit codes: 0 keepalived runs or was stopped on request, 1 it does not or no answer, 2 usage.'],
};

export const keepalivedStopCommand: CommandSpec = {
  name: 'keepalived stop',
  summary: 'Makes keepalived give its VIPs up and end; the supervisor stays.',
  positionals: [],
  flags: [...flags, jsonFlag],
  examples: [['hawser keepalived stop', 'out of the group until: hawser keepalived start']],
  notes: [
    'For work on a node, hawser drain is gentler.',
    'Exit codes: 0 done, 1 refused or no answer, 2 usage.',
  ],
};

export const keepalivedStartCommand: CommandSpec = {
  name: 'keepalived start',
  summary: 'Starts a keepalived that was stopped: this node may hold VIPs again.',
  positionals: [],
  flags: [...flags, jsonFlag],
  examples: [['hawser keepalived start', 'after hawser keepalived stop']],
  notes: ['Exit codes: 0 keepalived runs, 1 refused or no answer, 2 usage.'],
};

const schema = z.object({
  socket: socketPath,
  timeout: durationMs,
  json: outputFormat,
  alive: z.optional(z.boolean()),
});

export type KeepalivedClientSettings = z.infer<typeof schema>;

export function keepalivedClientSettings(
  values: Readonly<Record<string, unknown>>,
): KeepalivedClientSettings {
  return parseSettings(schema, values);
}
