import * as z from 'zod/mini';
import { commandSpec, jsonFlag, type SettingsOf } from '../../cli/command-spec.ts';
import { durationMs } from '../../cli/duration.ts';
import { absolutePath } from '../../cli/fields.ts';

export const planCommand = commandSpec({
  name: 'plan',
  summary:
    'Shows what would change on this node if everything were applied now, and what that costs. Changes nothing.',
  flags: {
    config: {
      value: '<path>',
      help: 'a candidate settings file',
      field: z.optional(absolutePath),
      typedOnly: true,
    },
    settings: {
      value: '<path>',
      help: "the current settings file (default: the daemons')",
      field: z.optional(absolutePath),
    },
    root: {
      value: '<path>',
      help: "where the node's files are, in a container",
      default: '/',
      field: absolutePath,
    },
    timeout: {
      value: '<duration>',
      help: 'how long the API and the supervisors may take',
      default: '10s',
      field: durationMs,
    },
    json: jsonFlag('print JSON, as schemas/plan.schema.json describes it'),
  },
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
});

export type PlanSettings = SettingsOf<typeof planCommand>;
