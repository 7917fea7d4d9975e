import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import type { BedNode } from '../../helpers/vrrp/bed-node.ts';
import type { Injector } from './injector.ts';

/** Disturbs the node's traffic like a bad cable. */
export const badCable: Injector = async ({ node, variant }) => {
  switch (variant) {
    case 'loss':
      return await rule(node, 'ingress', 'numgen random mod 100 < 20 drop');
    case 'duplicates':
      return await rule(node, 'egress', `numgen random mod 100 < 50 dup to ${node.device}`);
    default:
      return await slow(node);
  }
};

async function rule(node: BedNode, hook: 'ingress' | 'egress', what: string) {
  // One table per hook, because a node may have both faults at once.
  const table = `hawser-faults-${hook}`;
  const input = `table netdev ${table} {
  chain cable {
    type filter hook ${hook} device ${node.device} priority 0
    ${what}
  }
}
`;
  const { exitCode, stderr } = await runCommand([...node.namespace.prefix, 'nft', '-f', '-'], {
    input,
    timeoutMs: 5_000,
  });
  if (exitCode !== 0) throw new Error(`Cannot disturb ${node.name}: ${stderr.trim()}`);
  return async () => void (await node.namespace.run('nft', 'delete', 'table', 'netdev', table));
}

/** Limits egress to 2 Mbit/s; packets queue for up to 0.1 s. */
async function slow(node: BedNode) {
  const qdisc = (...how: readonly string[]) => node.namespace.run('tc', 'qdisc', ...how);
  await qdisc(
    'add',
    'dev',
    node.device,
    'root',
    'tbf',
    ...['rate', '2mbit', 'burst', '4kb', 'latency', '100ms'],
  );
  return async () => void (await qdisc('del', 'dev', node.device, 'root'));
}
