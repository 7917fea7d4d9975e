import { commandSpec, jsonFlag } from './command-spec.ts';

export const versionCommand = commandSpec({
  name: 'version',
  summary: 'Prints the versions of hawser and of its programs, and the clusters it was tested on.',
  flags: { json: jsonFlag('print JSON') },
  examples: [['hawser version'], ['hawser version -o yaml']],
  notes: ['A program that does not run is null. Exit codes: 0 always, 2 usage.'],
});
