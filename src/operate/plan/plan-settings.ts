import * as z from 'zod/mini';
import { commandSpec, flag, jsonFlag, type SettingsOf } from '../../cli/command-spec.ts';
import { durationMs } from '../../cli/duration.ts';
import { absolutePath } from '../../cli/fields.ts';
import { instance } from '../../cli/instance.ts';
import { root } from '../../cli/shared-flags.ts';

export const planCommand = commandSpec({
  name: 'plan',
  summary:
    'Shows what would change on this node if everything were applied now, and what that costs. Changes nothing.',
  flags: {
    config: flag('<path>', z.optional(absolutePath), 'a candidate settings file', { typedOnly: true }),
    settings: flag('<path>', z.optional(absolutePath), "the current settings file (default: the daemons')"),
    instance: {
      ...instance,
      help: 'plan the instance of that name, instead of the programs without one',
      typedOnly: true,
    },
    root,
    timeout: flag('<duration>', durationMs, 'how long the API and the supervisors may take', {
      default: '10s',
    }),
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
