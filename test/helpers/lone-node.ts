import { createNetNamespace, type NetNamespace } from './net-namespace.ts';

/** A namespace with 10.77.0.1 on its eth0, and nobody at the other end. */
export async function createLoneNode(): Promise<NetNamespace> {
  const node = await createNetNamespace();
  await node.run('ip', 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'far0');
  await node.run('ip', 'link', 'set', 'far0', 'up');
  await node.run('ip', 'address', 'add', '10.77.0.1/24', 'dev', 'eth0');
  await node.run('ip', 'link', 'set', 'eth0', 'up');
  return node;
}
