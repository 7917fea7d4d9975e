import * as z from 'zod/mini';
import type { CommandSpec } from './command-line.ts';
import { outputFormat } from './output-format.ts';
import { parseSettings } from './parse-settings.ts';

export const versionCommand: CommandSpec = {
  name: 'version',
  summary: 'Prints the versions of hawser and of the programs that it runs here.',
  positionals: [],
  flags: [{ flag: '--json', help: 'print JSON' }],
  examples: [['hawser version'], ['hawser version -o yaml']],
  notes: ['A program that cannot be asked is null. Exit codes: 0 always, 2 usage.'],
};

const schema = z.object({ json: outputFormat });

export function versionSettings(values: Readonly<Record<string, unknown>>): z.infer<typeof schema> {
  return parseSettings(schema, values);
}
