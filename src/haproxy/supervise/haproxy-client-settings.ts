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
    default: '/var/run/haproxy/haproxy-master.sock',
  },
  { flag: '--timeout <duration>', help: 'how long to wait for the answer', default: '60s' },
];

const jsonFlag: Flag = { flag: '--json', help: 'print the answer as it came' };

export const haproxyReloadCommand: CommandSpec = {
  name: 'haproxy reload',
  summary: 'Asks the supervisor for a reload and prints its answer when the reload is done.',
  positionals: [],
  flags: [...flags, jsonFlag],
  examples: [['hawser haproxy reload', 'after an edit by hand; a refusal changes nothing']],
  notes: ['Exit codes: 0 the new generation serves, 1 refused or no answer, 2 usage.'],
};

export const haproxyStatusCommand: CommandSpec = {
  name: 'haproxy status',
  summary: 'Shows which generation serves, which ones drain, until when and why.',
  positionals: [],
  flags: [...flags, jsonFlag],
  examples: [
    ['hawser haproxy status'],
    [
      "hawser haproxy status --json | jq '.draining[].sessions'",
      'connections that old generations still serve',
    ],
  ],
  notes: ['Exit codes: 0 a generation serves, 1 none does or no answer, 2 usage.'],
};

const schema = z.object({ socket: socketPath, timeout: durationMs, json: outputFormat });

export type HaproxyClientSettings = z.infer<typeof schema>;

export function haproxyClientSettings(values: Readonly<Record<string, unknown>>): HaproxyClientSettings {
  return parseSettings(schema, values);
}
