import { commandSpec, jsonFlag } from '../../cli/command-spec.ts';
import { durationMs } from '../../cli/duration.ts';
import { socketPath } from '../../cli/fields.ts';

const flags = {
  socket: {
    value: '<path>',
    help: "the supervisor's control socket",
    default: '/var/run/haproxy/haproxy-master.sock',
    field: socketPath,
  },
  timeout: {
    value: '<duration>',
    help: 'how long to wait for the answer',
    default: '60s',
    field: durationMs,
  },
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
