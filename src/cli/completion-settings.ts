import * as z from 'zod/mini';
import { commandSpec } from './command-spec.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof shells)[number];

export const completionCommand = commandSpec({
  name: 'completion',
  summary: 'Prints a script that completes commands, flags and their values.',
  positionals: {
    shell: {
      help: shells.join(', '),
      field: z.enum(shells, { error: `expected ${shells.join(', ')}` }),
    },
  },
  flags: {},
  examples: [
    ['hawser completion bash > /etc/bash_completion.d/hawser', 'for every user'],
    ['eval "$(hawser completion bash)"', 'in this shell'],
    ['hawser completion zsh > /usr/local/share/zsh/site-functions/_hawser'],
    ['hawser completion fish > ~/.config/fish/completions/hawser.fish'],
  ],
  notes: ['The script does not run hawser.', 'Exit codes: 0 printed, 2 usage.'],
});
