import { commandSpec, type SettingsOf } from '../cli/command-spec.ts';
import { completionScript, type Shell } from '../cli/completion.ts';
import { oneOf } from '../cli/fields.ts';
import { commands } from './table.ts';

const shells = ['bash', 'zsh', 'fish'] as const satisfies readonly Shell[];

export const spec = commandSpec({
  name: 'completion',
  summary: 'Prints a script that completes commands, flags and their values.',
  positionals: {
    shell: { help: shells.join(', '), field: oneOf(shells) },
  },
  flags: {},
  examples: [
    ['hawser completion bash > /etc/bash_completion.d/hawser', 'for every user'],
    ['eval "$(hawser completion bash)"', 'in this shell'],
    ['hawser completion zsh > /usr/local/share/zsh/site-functions/_hawser'],
    ['hawser completion fish > ~/.config/fish/completions/hawser.fish'],
  ],
  notes: ['The script needs awk, and does not run hawser.', 'Exit codes: 0 printed, 2 usage.'],
});

/** `hawser completion SHELL`. */
export async function run({ shell }: SettingsOf<typeof spec>): Promise<number> {
  const specs = await Promise.all(Object.values(commands).map(async (load) => (await load()).spec));
  process.stdout.write(completionScript(shell, specs));
  return 0;
}
