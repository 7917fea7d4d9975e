import { readCommandLine } from '../config/command-line.ts';
import { commandSpecs } from '../config/command-specs.ts';
import { completionCommand, completionSettings, type Shell } from '../config/completion-settings.ts';
import { checks } from '../doctor/registry.ts';
import { journalKinds } from '../observe/journal/journal-line.ts';
import { bashScript } from './completion/bash.ts';
import { type CompletedCommand, completedCommand } from './completion/completed-command.ts';
import { fishScript } from './completion/fish.ts';
import { zshScript } from './completion/zsh.ts';

const scripts: Readonly<Record<Shell, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** Values that other modules list. */
const listed: Readonly<Record<string, readonly string[]>> = {
  'doctor --only': checks.map(({ id }) => id),
  'timeline --kind': journalKinds,
};

/** `hawser completion SHELL`. */
export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(completionCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  const { shell } = completionSettings(line.values);
  const commands = commandSpecs.map((spec) =>
    completedCommand(spec, (command, flag) => listed[`${command} ${flag}`]),
  );
  process.stdout.write(scripts[shell](commands));
  return 0;
}
