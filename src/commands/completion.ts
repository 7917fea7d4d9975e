import { commandSpec } from '../cli/command-spec.ts';
import { completionScript } from '../cli/completion.ts';
import { commands } from './table.ts';

export const spec = commandSpec({
  name: 'completion',
  summary: 'Prints a script for bash that completes commands, flags and their values.',
  flags: {},
  examples: [
    ['hawser completion > /etc/bash_completion.d/hawser', 'for every user'],
    ['eval "$(hawser completion)"', 'in this shell'],
  ],
  notes: ['The script needs awk, and does not run hawser.', 'Exit codes: 0 printed, 2 usage.'],
});

export async function run(): Promise<number> {
  const specs = await Promise.all(Object.values(commands).map(async (load) => (await load()).spec));
  process.stdout.write(completionScript(specs));
  return 0;
}
