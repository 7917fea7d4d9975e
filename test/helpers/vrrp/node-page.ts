import { pageParts, type Relay, startRelay } from '../../../scripts/demo/page.ts';
import { hawser } from '../supervisor-build.ts';
import { waitFor } from '../wait-for.ts';
import type { BedNode } from './bed-node.ts';

/**
 * `hawser status --serve` on a node, and where a browser on this machine finds it: the node has its own loopback.
 * Patient, because a busy machine does not mean a dead program. Once per node: it ends with the node.
 */
export async function serveNodePage(node: BedNode, ...flags: readonly string[]): Promise<Relay> {
  const { serve, bridge, path, address } = pageParts(node.dir);
  const own = ['--node-name', node.name, '--timeout', '5s', ...flags];
  node.start('page', [hawser, 'status', ...serve, ...own]);
  node.start('page-bridge', bridge);
  const look = () => node.namespace.run('curl', '-sf', '-o', '/dev/null', `http://${address}/`);
  await waitFor(`the page of ${node.name}`, async () => (await look()) === '');
  return await startRelay(path);
}
