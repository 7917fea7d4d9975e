import { connect } from 'node:net';
import { join } from 'node:path';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { argvOf } from '../../helpers/vrrp/typed.ts';
import { type Injector, nothingToUndo } from './injector.ts';

const REQUESTS = 20;

/** Twenty reloads are asked for at once, each over a connection of its own; nobody waits for the answers. */
export const reloadStorm: Injector = async ({ node, variant }) => {
  const socket = join(node.runDir, variant === 'haproxy' ? 'haproxy-master.sock' : 'keepalived.sock');
  await Promise.all(Array.from({ length: REQUESTS }, () => askForReload(socket)));
  return nothingToUndo;
};

function askForReload(path: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(path, () => socket.end('reload\n'));
    socket.on('error', () => {}).on('close', () => resolve());
    socket.setTimeout(5_000, () => socket.destroy()).resume();
  });
}

const ORDER_MS = 15_000;

/** What an administrator types on the node. It may be refused. */
export const order: Injector = async ({ world, node, variant }) => {
  const type = async (...words: readonly string[]) =>
    void (await runCommand(argvOf(node, words, world.clocks.prefix(node)), { timeoutMs: ORDER_MS }));
  await type(variant, ...(variant === 'drain' ? ['--reason', 'faults'] : []));
  return variant === 'drain' ? () => type('undrain') : nothingToUndo;
};

/** What another program or an administrator does to the node's network. */
export const byHand: Injector = async ({ world, node, variant }) => {
  const address = `${world.bed.vip}/32`;
  if (variant === 'flush-nftables') await node.namespace.run('nft', 'flush', 'ruleset');
  else
    await node.namespace.run(
      ...([
        'ip',
        'address',
        variant === 'remove-vip' ? 'del' : 'replace',
        address,
        'dev',
        node.device,
      ] as const),
    );
  return nothingToUndo;
};

/** The API no longer lists the node, until the end. */
export const removeMember: Injector = async ({ world, node }) => {
  world.setMembers(world.nodes.filter((each) => each !== node));
  return async () => world.setMembers(world.nodes);
};
