import * as z from 'zod/mini';
import type { CommandSpec } from './command-line.ts';
import { outputFormat } from './output-format.ts';
import { parseSettings } from './parse-settings.ts';
import { defaultSettingsPath } from './settings-values.ts';

export const settingsCommand: CommandSpec = {
  name: 'settings',
  summary: 'Reads the settings file as the daemons do, and lists every problem.',
  positionals: [],
  flags: [
    { flag: '--settings <path>', help: `the file (default: ${defaultSettingsPath}, if it is there)` },
    { flag: '--json', help: 'print the values as JSON' },
  ],
  examples: [
    ['hawser settings', 'check and show /etc/hawser/config.yaml'],
    ['hawser settings --settings /tmp/config.yaml', 'check another file first'],
  ],
  notes: [
    'A daemon reads the file when it starts: changes take effect when its container restarts.',
    'Exit codes: 0 the file is good, or there is none, 2 usage or problems.',
  ],
};

const schema = z.object({ json: outputFormat });

export function settingsCommandSettings(values: Readonly<Record<string, unknown>>): z.infer<typeof schema> {
  return parseSettings(schema, values);
}
