import { keepTermination } from '../engine/system/process/keep-termination.ts';
import type { CommandName } from './summaries.ts';
import { commands } from './table.ts';

/** Runs a command with the arguments after its name. Resolves with the process's exit code. */
export async function run(
  name: CommandName,
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  if (name.endsWith(' monitor')) keepTermination();
  const { runCommand } = await import('../cli/run-command.ts');
  const usualReader = async () => (await import('./pods.ts')).readSettingsFile;
  return await runCommand(await commands[name](), argv, env, usualReader);
}
