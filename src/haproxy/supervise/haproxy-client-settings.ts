import { commandSpec, flag, jsonFlag } from '../../cli/command-spec.ts';
import { durationMs } from '../../cli/fields.ts';
import { haproxyFlags } from './haproxy-flags.ts';

const flags = {
  instance: haproxyFlags.instance,
  socket: haproxyFlags.socket,
  timeout: flag('<duration>', durationMs, 'how long to wait for the answer', { default: '60s' }),
  json: jsonFlag('print the raw answer'),
};

export const haproxyReloadCommand = commandSpec({
  name: 'haproxy reload',
  summary: 'Requests a reload from the supervisor and prints its answer when the reload is done.',
  flags,
  examples: [['hawser haproxy reload', 'after a manual edit; a refusal changes nothing']],
  notes: ['Exit codes: 0 the new generation serves, 1 refused or no answer, 2 usage.'],
});

export const haproxyStatusCommand = commandSpec({
  name: 'haproxy status',
  summary: 'Shows the serving generation, and the draining ones with their deadlines and reasons.',
  flags,
  examples: [
    ['hawser haproxy status'],
    [
      "hawser haproxy status --json | jq '.draining[].sessions'",
      'connections that old generations still serve',
    ],
  ],
  notes: ['Exit codes: 0 a generation serves, 1 none does or no answer, 2 usage.'],
});
