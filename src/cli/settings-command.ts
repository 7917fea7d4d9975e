import * as z from 'zod/mini';
import { commandSpec, defaultSettingsPath, flag, jsonFlag } from './command-spec.ts';

export const settingsCommand = commandSpec({
  name: 'settings',
  summary: 'Reads the settings file as the daemons do, and lists every problem.',
  flags: {
    settings: flag(
      '<path>',
      z.optional(z.string()),
      `the file (default: ${defaultSettingsPath} if it exists)`,
    ),
    json: jsonFlag('print the values as JSON'),
  },
  examples: [
    ['hawser settings', 'check and show /etc/hawser/config.yaml'],
    ['hawser settings --settings /tmp/config.yaml', 'check another file first'],
  ],
  notes: [
    'A daemon reads the file when it starts: changes take effect when its container restarts.',
    'Exit codes: 0 the file is valid or missing, 2 usage or problems.',
  ],
});
