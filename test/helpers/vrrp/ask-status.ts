import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { type ClusterStatus, clusterStatusSchema } from '../status-types.ts';
import { hawser } from '../supervisor-build.ts';
import { waitFor } from '../wait-for.ts';
import type { BedNode } from './bed-node.ts';

export interface AskedStatus {
  readonly status: ClusterStatus;
  readonly exitCode: number | undefined;
}

/** What `hawser status` says on a node; patient, because a busy machine does not mean a dead program. */
export async function askStatus(node: BedNode, ...flags: readonly string[]): Promise<AskedStatus> {
  const own = ['--json', '--node-name', node.name, '--timeout', '20s', ...flags];
  const argv = [...node.namespace.prefix, hawser, 'status', ...own] as const;
  const { stdout, exitCode } = await runCommand(argv as [string, ...string[]], { timeoutMs: 90_000 });
  return { status: clusterStatusSchema.parse(JSON.parse(stdout)), exitCode };
}

/** Asks until the answer is as expected. */
export async function statusOnce(
  node: BedNode,
  what: string,
  holds: (status: ClusterStatus) => boolean,
): Promise<AskedStatus> {
  let last: ClusterStatus | undefined;
  try {
    return await waitFor(
      `${node.name} to say ${what}`,
      async () => {
        const asked = await askStatus(node);
        last = asked.status;
        return holds(asked.status) && asked;
      },
      90_000,
    );
  } catch (error) {
    throw new Error(`the last status was ${JSON.stringify(last?.problems)} ${JSON.stringify(last?.vips)}`, {
      cause: error,
    });
  }
}
