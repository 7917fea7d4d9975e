import { readCommandLine } from '../cli/command-line.ts';
import { commandSpecs } from '../cli/command-specs.ts';
import { bashScript } from '../cli/completion/bash.ts';
import { type CompletedCommand, completedCommand } from '../cli/completion/completed-command.ts';
import { fishScript } from '../cli/completion/fish.ts';
import { zshScript } from '../cli/completion/zsh.ts';
import { completionCommand, completionSettings, type Shell } from '../cli/completion-settings.ts';
import { journalKinds } from '../engine/observe/journal/journal-line.ts';
import { checks } from '../operate/doctor/registry.ts';

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
