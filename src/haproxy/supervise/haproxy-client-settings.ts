import { commandSpec, flag, jsonFlag } from '../../cli/command-spec.ts';
import { durationMs } from '../../cli/fields.ts';
import { haproxyFlags } from './haproxy-flags.ts';

const flags = {
  instance: haproxyFlags.instance,
  socket: haproxyFlags.socket,
  timeout: flag('<duration>', durationMs, 'how long to wait for the answer', { default: '60s' }),
  json: jsonFlag('print the answer as it came'),
};

export const haproxyReloadCommand = commandSpec({
  name: 'haproxy reload',
  summary: 'Asks the supervisor for a reload and prints its answer when the reload is done.',
  flags,
  examples: [['hawser haproxy reload', 'after an edit by hand; a refusal changes nothing']],
  notes: ['Exit codes: 0 the new generation serves, 1 refused or no answer, 2 usage.'],
});

export const haproxyStatusCommand = commandSpec({
  name: 'haproxy status',
  summary: 'Shows which generation serves, which ones drain, until when and why.',
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
