import type { CheckOutcome, ConfigurationCheck } from '../engine/apply/configuration-check.ts';
import { codeOf, messageOf } from '../engine/system/errors.ts';
import type { CommandResult, RunCommand } from '../engine/system/process/run-command.ts';
import { testArgv } from './argv.ts';

const DETAIL_CHARACTERS = 4_000;
/** KEEPALIVED_EXIT_CONFIG_TEST_SECURITY: scripts that others may write; it would run without them. */
const INSECURE_SCRIPTS = 6;

/**
 * The real keepalived's verdict on a file (`keepalived --config-test`), in this network namespace: interfaces must
 * exist. Its warnings (a password cut to 8 characters, an insecure script) do not make the file invalid. Neither does a
 * track file in a missing folder, which 2.3 refuses and 2.2 accepts: the supervisor makes the folder before it starts
 * keepalived. For a missing file keepalived prints nothing and exits with 0; that is refused.
 */
export function createKeepalivedCheck(options: {
  readonly keepalivedPath: string;
  readonly timeoutMs: number;
  readonly run: RunCommand;
}): ConfigurationCheck {
  const { keepalivedPath, timeoutMs, run } = options;
  return async (path, signal) => {
    try {
      const result = await run(testArgv(keepalivedPath, path), { timeoutMs, ...(signal && { signal }) });
      signal?.throwIfAborted();
      if (result.timedOut) return impossible(path, `"${keepalivedPath}" was not done after ${timeoutMs} ms`);
      return outcomeOf(path, keepalivedPath, result);
    } catch (error) {
      signal?.throwIfAborted();
      return impossible(path, `"${keepalivedPath}" cannot be run (${codeOf(error) ?? messageOf(error)})`);
    }
  };
}

function outcomeOf(path: string, keepalivedPath: string, result: CommandResult): CheckOutcome {
  if (result.exitCode === undefined)
    return impossible(path, `"${keepalivedPath}" was ended by ${result.signal ?? 'a signal'}`);
  const complaints = complaintsOf(result);
  const missing = complaints.some((line) => line.startsWith('Config files missing'));
  const harmless = complaints.every(isHarmless(complaints));
  if (!missing && (result.exitCode === 0 || result.exitCode === INSECURE_SCRIPTS)) return { kind: 'valid' };
  if (!missing && harmless && complaints.length > 0) return { kind: 'valid' };
  const message = `Cannot use configuration "${path}": keepalived refuses it, expected no complaint from --config-test`;
  return { kind: 'invalid', message, detail: complaints.join('\n').slice(-DETAIL_CHARACTERS) };
}

/** Knows the track files whose folder is missing: keepalived complains of the folder, and of each use of the file. */
function isHarmless(complaints: readonly string[]): (line: string) => boolean {
  const homeless = new Set(complaints.flatMap((line) => WITHOUT_FOLDER.exec(line)?.[1] ?? []));
  return (line) =>
    /Truncating auth_pass to \d+ characters/.test(line) ||
    WITHOUT_FOLDER.test(line) ||
    homeless.has(NOT_FOUND.exec(line)?.[1] ?? '');
}

const WITHOUT_FOLDER = /\) realpath\(\) error 2 \([^)]*\) for (\S+)$/;
const NOT_FOUND = /\) track file (\S+) not found, ignoring\.\.\.$/;

/** Its parent and its VRRP process each read the file, and each complain. */
function complaintsOf({ stdout, stderr }: CommandResult): readonly string[] {
  const lines = `${stdout}${stderr}`.split('\n').map((line) => line.trim());
  return [...new Set(lines.filter((line) => line !== ''))];
}

function impossible(path: string, what: string): CheckOutcome {
  return {
    kind: 'impossible',
    message: `Cannot check configuration "${path}": ${what}, expected its verdict`,
  };
}
