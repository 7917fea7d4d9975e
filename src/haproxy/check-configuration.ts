import type { CheckOutcome, ConfigurationCheck } from '../engine/apply/configuration-check.ts';
import { codeOf, messageOf } from '../engine/system/errors.ts';
import type { CommandResult, RunCommand } from '../engine/system/process/run-command.ts';
import { checkArgv } from './argv.ts';

/** HAProxy names every error of a file; the last ones and the summary fit into this. */
const DETAIL_CHARACTERS = 4_000;

/**
 * The real HAProxy's verdict on a file (`haproxy -c -f FILE`). It checks syntax, limits and addresses, and does not
 * bind: a port in use shows only when HAProxy starts. `run` starts programs: that of a supervisor needs less memory
 * than that of a monitor.
 */
export function createConfigurationCheck(options: {
  readonly haproxyPath: string;
  readonly timeoutMs: number;
  readonly run: RunCommand;
}): ConfigurationCheck {
  const { haproxyPath, timeoutMs, run } = options;
  return async (path, signal) => {
    try {
      const result = await run(checkArgv(haproxyPath, path), { timeoutMs, ...(signal && { signal }) });
      signal?.throwIfAborted();
      return result.timedOut
        ? impossible(path, `"${haproxyPath}" was not done after ${timeoutMs} ms`)
        : outcomeOf(path, haproxyPath, result);
    } catch (error) {
      signal?.throwIfAborted();
      return impossible(path, `"${haproxyPath}" cannot be run (${codeOf(error) ?? messageOf(error)})`);
    }
  };
}

function outcomeOf(path: string, haproxyPath: string, result: CommandResult): CheckOutcome {
  if (result.exitCode === 0) return { kind: 'valid' };
  if (result.exitCode === undefined)
    return impossible(path, `"${haproxyPath}" was ended by ${result.signal ?? 'a signal'}`);
  const message = `Cannot use configuration "${path}": HAProxy refuses it, expected "Configuration file is valid"`;
  return { kind: 'invalid', message, detail: withoutNotices(result).slice(-DETAIL_CHARACTERS) };
}

/** HAProxy starts each report with its version and path, which say nothing about the file. */
function withoutNotices({ stdout, stderr }: CommandResult): string {
  return `${stdout}${stderr}`
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('[NOTICE]'))
    .join('\n');
}

function impossible(path: string, what: string): CheckOutcome {
  return {
    kind: 'impossible',
    message: `Cannot check configuration "${path}": ${what}, expected its verdict`,
  };
}
