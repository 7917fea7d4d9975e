import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { connectPair, createNetNamespace, type NetNamespace } from './net-namespace.ts';

/**
 * A node that holds two VIPs, with an API server and a load balancer on it; a client one cable away; and another node,
 * which the client reaches through the first.
 */
export interface NodeWithVip extends AsyncDisposable {
  readonly node: NetNamespace;
  readonly client: NetNamespace;
  readonly otherNode: NetNamespace;
}

export const vip4 = '10.9.0.100';
export const vip6 = 'fd09::100';
/** An address of the node that is not a VIP. */
export const own4 = '10.9.0.1';
/** A VIP that another node holds, one hop behind this one. */
export const elsewhere4 = '10.8.0.100';

export async function createNodeWithVip(): Promise<NodeWithVip> {
  const node = await createNetNamespace();
  const client = await createNetNamespace();
  await connectPair(
    { namespace: node, device: 'eth0', addresses: [`${own4}/24`, 'fd09::1/64', `${vip4}/32`, `${vip6}/128`] },
    { namespace: client, device: 'eth0', addresses: ['10.9.0.2/24', 'fd09::2/64'] },
  );
  await startNameServer(node, 6443, 'api');
  await startNameServer(node, 9445, 'lb');
  const otherNode = await behind(node, client);
  const remove = async () => {
    await otherNode.remove();
    await client.remove();
    await node.remove();
  };
  return { node, client, otherNode, [Symbol.asyncDispose]: remove };
}

async function behind(node: NetNamespace, client: NetNamespace): Promise<NetNamespace> {
  const otherNode = await createNetNamespace();
  await connectPair(
    { namespace: node, device: 'eth1', addresses: ['10.8.0.1/24'] },
    { namespace: otherNode, device: 'eth0', addresses: [`${elsewhere4}/24`] },
  );
  await node.run('sysctl', '-qw', 'net.ipv4.ip_forward=1');
  await client.run('ip', 'route', 'add', '10.8.0.0/24', 'via', own4);
  await otherNode.run('ip', 'route', 'add', 'default', 'via', '10.8.0.1');
  await startNameServer(otherNode, 6443, 'other api');
  await startNameServer(otherNode, 9445, 'other lb');
  return otherNode;
}

/** Ends with its namespace. */
async function startNameServer(where: NetNamespace, port: number, name: string): Promise<void> {
  const script = fileURLToPath(new URL('name-server.ts', import.meta.url));
  const [file, ...args] = [...where.prefix, process.execPath, script, String(port), name];
  const child = spawn(file ?? '', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
}

/** The name of the server that answers TCP there; throws if none does. */
export async function whoAnswers(from: NetNamespace, address: string, port: number): Promise<string> {
  const host = address.includes(':') ? `[${address}]` : address;
  const answer = await from.run('socat', '-t20', '-T20', '-', `TCP:${host}:${port},connect-timeout=20`);
  return answer.trim();
}

/** A connection that stays open: the other side echoes what is sent, unless the connection is broken. */
export interface OpenConnection {
  readonly received: () => string;
  readonly say: (text: string) => void;
}

export function connectFrom(from: NetNamespace, address: string, port: number): OpenConnection {
  const [file, ...args] = [...from.prefix, 'socat', '-', `TCP:${address}:${port},connect-timeout=20`];
  const child = spawn(file ?? '', args, { stdio: ['pipe', 'pipe', 'inherit'] });
  let received = '';
  child.stdout.on('data', (chunk) => {
    received += String(chunk);
  });
  return { received: () => received, say: (text) => child.stdin.write(text) };
}
