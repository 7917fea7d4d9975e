import { type CheckProgram, type ConfigurationCheck, checkBy } from '../engine/config/check.ts';
import type { CommandResult } from '../engine/system/process/run-command.ts';

/** KEEPALIVED_EXIT_CONFIG_TEST_SECURITY: some scripts are writable by other users. keepalived would run without these scripts. */
const INSECURE_SCRIPTS = 6;

/**
 * Validates a file with `keepalived --config-test` in this network namespace, so its interfaces must exist. Warnings (a password cut to
 * 8 characters, an insecure script) do not make a file invalid. Neither does a track file in a missing folder, which 2.3 refuses and
 * 2.2 accepts: the supervisor creates the folder before it starts keepalived. A missing configuration file is refused, although
 * keepalived may exit with 0.
 */
export function createKeepalivedCheck(
  options: Pick<CheckProgram, 'timeoutMs' | 'run'> & { readonly keepalivedPath: string },
): ConfigurationCheck {
  const { keepalivedPath: program, ...more } = options;
  const argv = (path: string) => [program, '--config-test', '--vrrp', '--use-file', path] as const;
  return checkBy('keepalived', { ...more, program, argv, refusal });
}

function refusal(result: CommandResult): ReturnType<CheckProgram['refusal']> {
  const complaints = complaintsOf(result);
  const missing = complaints.some((line) => line.startsWith('Config files missing'));
  const harmless = complaints.every(isHarmless(complaints));
  if (!missing && (result.exitCode === 0 || result.exitCode === INSECURE_SCRIPTS)) return undefined;
  if (!missing && harmless && complaints.length > 0) return undefined;
  return { expected: 'no complaint from --config-test', detail: complaints.join('\n') };
}

/** A complaint about a missing folder of a track file is harmless, and so is one about any use of that file. */
function isHarmless(complaints: readonly string[]): (line: string) => boolean {
  const withoutFolder = new Set(complaints.flatMap((line) => WITHOUT_FOLDER.exec(line)?.[1] ?? []));
  return (line) =>
    /Truncating auth_pass to \d+ characters/.test(line) ||
    WITHOUT_FOLDER.test(line) ||
    withoutFolder.has(NOT_FOUND.exec(line)?.[1] ?? '');
}

const WITHOUT_FOLDER = /\) realpath\(\) error 2 \([^)]*\) for (\S+)$/;
const NOT_FOUND = /\) track file (\S+) not found, ignoring\.\.\.$/;

/** Without duplicates: keepalived's parent and its VRRP process both read the file and print the same complaints. */
function complaintsOf({ stdout, stderr }: CommandResult): readonly string[] {
  const lines = `${stdout}${stderr}`.split('\n').map((line) => line.trim());
  return [...new Set(lines.filter((line) => line !== ''))];
}
