import type { CommandSpec } from './command-line.ts';
import { defaultSettingsPath } from './settings-values.ts';

export const settingsCommand: CommandSpec = {
  name: 'settings',
  summary: 'Reads the settings file as the daemons do, and says everything that is wrong with it.',
  positionals: [],
  flags: [
    { flag: '--settings <path>', help: `the file (default: ${defaultSettingsPath}, if it is there)` },
    { flag: '--json', help: 'print the values as JSON' },
  ],
  examples: [
    ['hawser settings', 'is /etc/hawser/config.yaml right, and what is in it?'],
    ['hawser settings --settings /tmp/config.yaml', 'another file, before it is put there'],
  ],
  notes: [
    'A daemon reads the file when it starts: what was edited takes effect when its container is restarted.',
    'Exit codes: 0 the file is good, or there is none, 2 usage or problems.',
  ],
};
