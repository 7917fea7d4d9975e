import { settingsTyped } from '../../cli/command-line.ts';
import { commandAmong } from '../../cli/command-spec.ts';
import type { Pod } from '../../cli/pod.ts';
import { askProgram } from '../../engine/examine/ask-program.ts';
import type { PageAddress } from '../../engine/system/network/ask-page.ts';

const limits = { timeoutMs: 2_000, signal: new AbortController().signal };

type Supervisor = Pod['supervisor'];

/**
 * The page of a pod's supervisor if its container is started like this, as the supervisor itself reads its arguments;
 * undefined where they start another program. Throws a ConfigError for arguments that it would refuse.
 */
export function supervisorPage(
  { spec }: Pick<Supervisor, 'spec'>,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): PageAddress | 'off' | undefined {
  const command = commandAmong([spec], args);
  // Its page is no key of the settings file.
  return command && (settingsTyped(spec, command.argv, env, () => undefined).listen ?? 'off');
}

/**
 * The ports at which this node's supervisors answer. HAProxy and the monitors close their ports when asked to stop;
 * these stay open until the last connection has drained and keepalived is gone. Ports of other programs are left out.
 */
export async function supervisorPorts(pods: readonly Pod[]): Promise<readonly number[]> {
  const found = await Promise.all(
    pods.map(async ({ supervisor }) => {
      // Neither the environment of this process nor the settings file has its address.
      const page = supervisorPage(supervisor, supervisor.spec.name.split(' '), {});
      return page && page !== 'off' && (await isSupervisor(supervisor, page)) ? [page.port] : [];
    }),
  );
  return found.flat();
}

/** Whether what listens there is that supervisor, by its answer: its process may be out of sight in a container. */
export async function isSupervisor({ spec, answer }: Supervisor, page: PageAddress): Promise<boolean> {
  return (await askProgram(spec.name, page, answer, limits)).status !== null;
}
