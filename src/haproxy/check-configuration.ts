import { type CheckProgram, type ConfigurationCheck, checkBy } from '../engine/config/check.ts';
import type { CommandResult, RunCommand } from '../engine/system/process/run-command.ts';
import { runLeanCommand } from '../engine/system/process/run-lean-command.ts';
import { checkArgv } from './argv.ts';

/**
 * Validates a file with HAProxy itself (`haproxy -c -f FILE`). That checks syntax, limits and addresses, but does not bind: a port in use is reported
 * only when HAProxy starts. `run` starts the program: a supervisor's implementation needs less memory than a monitor's.
 */
export function createConfigurationCheck(
  options: Pick<CheckProgram, 'timeoutMs' | 'run' | 'detailCharacters'> & { readonly haproxyPath: string },
): ConfigurationCheck {
  const { haproxyPath: program, ...more } = options;
  const argv = (path: string) => checkArgv(program, path);
  return checkBy('HAProxy', { ...more, program, argv, refusal });
}

const BACKGROUND_NICENESS = 10;

/** `run` for a check that must not slow down traffic. */
export const runInBackground: RunCommand = (argv, options) =>
  runLeanCommand(argv, { ...options, niceness: BACKGROUND_NICENESS });

function refusal(result: CommandResult): ReturnType<CheckProgram['refusal']> {
  if (result.exitCode === 0) return undefined;
  return { expected: '"Configuration file is valid"', detail: messageLines(result) };
}

/**
 * The relevant lines of the output. HAProxy starts each report with its version and path, which do not matter here, and its process id, which would
 * make equal refusals look different.
 */
function messageLines({ stdout, stderr }: CommandResult): string {
  return `${stdout}${stderr}`
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('[NOTICE]'))
    .map((line) => line.replace(/^(\[[A-Z]+\]) *\(\d+\)/, '$1'))
    .join('\n');
}
