import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openScene, type Scene } from '../../test/bench/failover/scene.ts';
import { bedFolder } from '../../test/helpers/vrrp/bed-folder.ts';
import type { BedNode } from '../../test/helpers/vrrp/bed-node.ts';
import type { HawserPart } from '../../test/helpers/vrrp/hawser.ts';

const clusterName = 'prod-eu-1';

/** Three complete nodes with journals. */
export interface Cluster extends AsyncDisposable {
  readonly scene: Scene;
  /** The journals of all nodes. */
  readonly journals: readonly string[];
}

export async function openCluster(): Promise<Cluster> {
  const stack = new AsyncDisposableStack();
  try {
    const dir = bedFolder(stack);
    const runDir = join(dir, 'run');
    mkdirSync(runDir);
    const own = (node: BedNode, part: HawserPart) => ({
      prefix: machineOf(node, runDir),
      flags: [...['--journal', journalOf(node)], ...flagsOf(part, runDir)],
    });
    // Nothing is measured here, so late answers on a busy machine are acceptable.
    const scene = stack.use(
      await openScene('hawser', { own, clientTimeoutMs: 2_000, advertIntervalMs: 500 }),
    );
    const journals = scene.members.map(journalOf);
    return { scene, journals, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

function journalOf(node: BedNode): string {
  return node.at('journal');
}

/** Gives a node its own hostname, and mounts its run files at the same path on every node, so that haproxy.cfg does not differ. */
function machineOf(node: BedNode, runDir: string): readonly string[] {
  const script = 'hostname "$1" && mount --bind "$2" "$3" && shift 3 && exec "$@"';
  return ['unshare', '--uts', '--mount', 'sh', '-c', script, 'sh', node.name, node.runDir, runDir];
}

function flagsOf(part: HawserPart, runDir: string): readonly string[] {
  switch (part) {
    case 'haproxy':
    case 'haproxy-monitor':
      return ['--stats-socket', `${runDir}/haproxy.sock`, '--state-file', `${runDir}/server-state`];
    case 'keepalived-monitor':
      return ['--cluster-name', clusterName];
    case 'keepalived':
      return [];
  }
}
