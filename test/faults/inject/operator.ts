import { connect } from 'node:net';
import { join } from 'node:path';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { argvOf } from '../../helpers/vrrp/typed.ts';
import { type Injector, nothingToUndo } from './injector.ts';

const REQUESTS = 20;

/** Requests twenty reloads at once, each on a connection of its own, and ignores the answers. */
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

/** Runs an operator's command on the node. It may be refused. */
export const order: Injector = async ({ world, node, variant }) => {
  const type = async (...words: readonly string[]) =>
    void (await runCommand(argvOf(node, words, world.clocks.prefix(node)), { timeoutMs: ORDER_MS }));
  await type(variant, ...(variant === 'drain' ? ['--reason', 'faults'] : []));
  return variant === 'drain' ? () => type('undrain') : nothingToUndo;
};

/** Changes the node's network behind hawser's back, as another program or an administrator might. */
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

/** Removes the node from the API's list until the end. */
export const removeMember: Injector = async ({ world, node }) => {
  world.setMembers(world.nodes.filter((each) => each !== node));
  return async () => world.setMembers(world.nodes);
};
