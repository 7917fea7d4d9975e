import * as z from 'zod/mini';
import type { CommandSpec } from './command-line.ts';
import { parseSettings } from './parse-settings.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof shells)[number];

export const completionCommand: CommandSpec = {
  name: 'completion',
  summary: 'Prints a script that completes commands, flags and their values.',
  positionals: [{ name: 'SHELL', help: shells.join(', '), choices: shells }],
  flags: [],
  examples: [
    ['hawser completion bash > /etc/bash_completion.d/hawser', 'for every user'],
    ['eval "$(hawser completion bash)"', 'in this shell'],
    ['hawser completion zsh > /usr/local/share/zsh/site-functions/_hawser'],
    ['hawser completion fish > ~/.config/fish/completions/hawser.fish'],
  ],
  notes: ['The script does not run hawser.', 'Exit codes: 0 printed, 2 usage.'],
};

const schema = z.object({ shell: z.enum(shells, { error: `expected ${shells.join(', ')}` }) });

/** Throws a ConfigError for a shell that there is no script for. */
export function completionSettings(values: Readonly<Record<string, unknown>>): { readonly shell: Shell } {
  return parseSettings(schema, values);
}
