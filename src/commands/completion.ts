import type { SettingsOf } from '../cli/command-spec.ts';
import { bashScript } from '../cli/completion/bash.ts';
import { type CompletedCommand, completedCommand } from '../cli/completion/completed-command.ts';
import { fishScript } from '../cli/completion/fish.ts';
import { zshScript } from '../cli/completion/zsh.ts';
import { completionCommand, type Shell } from '../cli/completion-settings.ts';
import { commands } from './table.ts';

const scripts: Readonly<Record<Shell, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

export const spec = completionCommand;

/** `hawser completion SHELL`. */
export async function run({ shell }: SettingsOf<typeof spec>): Promise<number> {
  const specs = await Promise.all(Object.values(commands).map(({ spec }) => spec()));
  process.stdout.write(scripts[shell](specs.map(completedCommand)));
  return 0;
}
