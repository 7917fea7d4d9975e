import { commandSpec, flag, jsonFlag, toggle } from '../../cli/command-spec.ts';
import { durationMs } from '../../cli/fields.ts';
import { keepalivedFlags } from './keepalived-flags.ts';

const flags = {
  socket: keepalivedFlags.socket,
  timeout: flag('<duration>', durationMs, 'how long to wait for the answer', { default: '30s' }),
  json: jsonFlag('print the raw answer'),
};

export const keepalivedReloadCommand = commandSpec({
  name: 'keepalived reload',
  summary: 'Asks the supervisor for a reload and prints its answer when keepalived uses the configuration.',
  flags,
  examples: [['hawser keepalived reload', 'after an edit by hand; a refusal changes nothing']],
  notes: ['Exit codes: 0 keepalived uses the configuration, 1 refused or no answer, 2 usage.'],
});

export const keepalivedStatusCommand = commandSpec({
  name: 'keepalived status',
  summary: 'Shows which VIPs this node holds, since when and why.',
  flags: { ...flags, alive: toggle('exit with 0 for any answer, for use as a probe') },
  examples: [
    ['hawser keepalived status'],
    ["hawser keepalived status --json | jq -r '.instances[] | [.name, .state] | @tsv'"],
  ],
  notes: ['Exit codes: 0 keepalived runs or was stopped on request, 1 it does not or no answer, 2 usage.'],
});

export const keepalivedStopCommand = commandSpec({
  name: 'keepalived stop',
  summary: 'Makes keepalived give its VIPs up and end; the supervisor stays.',
  flags,
  examples: [['hawser keepalived stop', 'out of the group until: hawser keepalived start']],
  notes: [
    'For work on a node, hawser drain is gentler.',
    'Exit codes: 0 done, 1 refused or no answer, 2 usage.',
  ],
});

export const keepalivedStartCommand = commandSpec({
  name: 'keepalived start',
  summary: 'Starts a keepalived that was stopped: this node may hold VIPs again.',
  flags,
  examples: [['hawser keepalived start', 'after hawser keepalived stop']],
  notes: ['Exit codes: 0 keepalived runs, 1 refused or no answer, 2 usage.'],
});
