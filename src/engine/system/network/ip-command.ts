import type * as z from 'zod/mini';
import { messageOf } from '../errors.ts';
import { runLeanCommand } from '../process/run-lean-command.ts';
import { parseList } from '../text/parse-json.ts';

interface IpLimits {
  readonly timeoutMs: number;
  /** Error text of `ip` if there was nothing to do. */
  readonly fine?: RegExp;
}

/** Runs a changing `ip` command. Resolves with the error, if any. */
export async function changeByIp(
  argv: readonly ['ip', ...string[]],
  { timeoutMs, fine }: IpLimits,
): Promise<string | undefined> {
  try {
    const { exitCode, stderr } = await runLeanCommand(argv, { timeoutMs });
    if (exitCode === 0 || fine?.test(stderr)) return undefined;
    return `Cannot run "${argv.join(' ')}": ${stderr.trim()}, expected exit code 0`;
  } catch (error) {
    return `Cannot run "${argv.join(' ')}": ${messageOf(error)}, expected iproute2`;
  }
}

/** The entries of `ip -json` output that match `entry`. Undefined if `ip` fails or times out. */
export async function listByIp<T>(
  args: readonly string[],
  entry: z.ZodMiniType<T>,
  timeoutMs: number,
): Promise<readonly T[] | undefined> {
  try {
    const { exitCode, stdout } = await runLeanCommand(['ip', '-json', ...args], { timeoutMs });
    return exitCode === 0 ? parseList(stdout, entry) : undefined;
  } catch {
    return undefined;
  }
}
