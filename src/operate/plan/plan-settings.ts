import * as z from 'zod/mini';
import type { CommandSpec } from '../../cli/command-line.ts';
import { durationMs } from '../../cli/duration.ts';
import { absolutePath } from '../../cli/fields.ts';
import { outputFormat } from '../../cli/output-format.ts';
import { parseSettings } from '../../cli/parse-settings.ts';

export const planCommand: CommandSpec = {
  name: 'plan',
  summary:
    'Shows what would change on this node if everything were applied now, and what that costs. Changes nothing.',
  positionals: [],
  flags: [
    { flag: '--config <path>', help: 'a candidate settings file', typedOnly: true },
    { flag: '--settings <path>', help: "the current settings file (default: the daemons')" },
    { flag: '--root <path>', help: "where the node's files are, in a container", default: '/' },
    { flag: '--timeout <duration>', help: 'how long the API and the supervisors may take', default: '10s' },
    { flag: '--json', help: 'print JSON, as schemas/plan.schema.json describes it' },
  ],
  examples: [
    ['hawser plan', 'is everything applied?'],
    ['hawser plan --config /tmp/config.yaml', 'what would these settings cost?'],
    ["hawser plan --config /tmp/config.yaml --json | jq '.cost.level'"],
  ],
  notes: [
    'It reads the arguments of the running daemons, or else of their static pods, asks the API for the lists that they follow, renders the configurations, and has HAProxy and keepalived check them.',
    "Costs: nothing, reload, restart, vip-move, interruption. They are this node's costs, as seen from here.",
    'Exit codes: 0 nothing would change; 1 something would; 2 the settings or the configurations would be refused (every reason is listed), cannot tell, or usage.',
  ],
};

const schema = z.object({
  config: z.optional(absolutePath),
  settings: z.optional(absolutePath),
  root: absolutePath,
  timeout: durationMs,
  json: outputFormat,
});

export type PlanSettings = z.infer<typeof schema>;

/** Throws a ConfigError that lists every problem. */
export function planSettings(values: Readonly<Record<string, unknown>>): PlanSettings {
  return parseSettings(schema, values);
}
