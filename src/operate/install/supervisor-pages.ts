import { settingsTyped } from '../../cli/command-line.ts';
import { commandAmong } from '../../cli/command-spec.ts';
import type { Pod } from '../../cli/pod.ts';
import { askProgram } from '../../engine/examine/ask-program.ts';
import type { PageAddress } from '../../engine/system/network/ask-page.ts';

const limits = { timeoutMs: 2_000, signal: new AbortController().signal };

type Supervisor = Pod['supervisor'];

/**
 * Returns the address of the page of a supervisor that is started with these arguments; undefined if they start another
 * program. Throws a ConfigError for arguments that the supervisor would refuse.
 */
export function supervisorPage(
  { spec }: Pick<Supervisor, 'spec'>,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): PageAddress | 'off' | undefined {
  const command = commandAmong([spec], args);
  // The settings file has no key for this page.
  return command && (settingsTyped(spec, command.argv, env, () => undefined).listen ?? 'off');
}

/** Whether the supervisor listens at this address, judged by the answer, since a process in another container may not be visible. */
export async function isSupervisor({ spec, answer }: Supervisor, page: PageAddress): Promise<boolean> {
  return (await askProgram(spec.name, page, answer, limits)).status !== null;
}
