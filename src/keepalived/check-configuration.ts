import { type CheckProgram, type ConfigurationCheck, checkBy } from '../engine/config/check.ts';
import type { CommandResult } from '../engine/system/process/run-command.ts';

/** KEEPALIVED_EXIT_CONFIG_TEST_SECURITY: scripts that others may write; it would run without them. */
const INSECURE_SCRIPTS = 6;

/**
 * The real keepalived's verdict on a file (`keepalived --config-test`), in this network namespace: interfaces must
 * exist. Its warnings (a password cut to 8 characters, an insecure script) do not make the file invalid. Neither does a
 * track file in a missing folder, which 2.3 refuses and 2.2 accepts: the supervisor makes the folder before it starts
 * keepalived. For a missing file keepalived prints nothing and exits with 0; that is refused.
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
