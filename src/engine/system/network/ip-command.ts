import type * as z from 'zod/mini';
import { messageOf } from '../errors.ts';
import { runLeanCommand } from '../process/run-lean-command.ts';
import { parseList } from '../text/parse-json.ts';

interface IpLimits {
  readonly timeoutMs: number;
  /** What `ip` says where there was nothing to do. */
  readonly fine?: RegExp;
}

/** An `ip` command that changes something. Resolves with what went wrong. */
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

/** What `ip -json` lists, as far as it has the form of `entry`. Undefined where `ip` fails, or not in time. */
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
