import { connect } from 'node:net';
import {
  type Check,
  type Finding,
  fail,
  ok,
  skip,
  unlessUnseen,
  warn,
  worstOf,
} from '../../engine/examine/check.ts';
import type { Peer } from '../../engine/examine/peer-health.ts';
import { codeOf, messageOf } from '../../engine/system/errors.ts';
import type { ApiLbContext } from './context.ts';

type Reach = 'open' | 'refused' | { readonly problem: string };

/** Whether a TCP connection comes about; nothing is sent. Never throws. */
function reach(
  host: string,
  port: number,
  { signal, answerTimeoutMs }: { readonly signal: AbortSignal; readonly answerTimeoutMs: number },
): Promise<Reach> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(answerTimeoutMs)]);
  return new Promise((resolve) => {
    const socket = connect({ host, port, signal: limit });
    socket.once('connect', () => {
      socket.destroy();
      resolve('open');
    });
    socket.once('error', (error) => {
      if (codeOf(error) === 'ECONNREFUSED') resolve('refused');
      else resolve({ problem: limit.aborted ? `no answer in ${answerTimeoutMs} ms` : messageOf(error) });
    });
  });
}

interface PeerPortsLook {
  readonly peer: Peer;
  readonly balancer: Reach;
  readonly health: Reach;
}

export function judgePeerPorts({ peer, balancer, health }: PeerPortsLook, lbPort: number): Finding {
  const name = peer.name === peer.address ? peer.address : `${peer.name} (${peer.address})`;
  const filtered = (what: string, problem: string): Finding =>
    fail(
      `${what} of ${name} cannot be reached: ${problem}`,
      `let the ports of docs/install.md in on that node: behind the redirect its firewall sees ${lbPort}`,
    );
  if (typeof balancer === 'object') return filtered(`port ${lbPort}`, balancer.problem);
  if (typeof health === 'object') return filtered('the health port', health.problem);
  if (balancer === 'refused' || health === 'refused')
    return warn(
      `HAProxy of ${name} does not listen`,
      'hawser haproxy status there; before the installation of that node this is as it should be',
    );
  return ok(`${name} lets the load balancer's and the health port in`);
}

const peerPorts: Check<ApiLbContext> = {
  id: 'peer-ports',
  title: "The peers' HAProxy from here",
  why: "A firewall sees the load balancer's port, not the VIP's: if it drops that, clients of the node wait.",
  run: async (context, signal) => {
    const { readings, settings, answerTimeoutMs } = context;
    const peers = await readings.peers();
    if (peers.kind === 'unknown') return await unlessUnseen(context, skip(peers.reason));
    const limits = { signal, answerTimeoutMs };
    const ask = async (peer: Peer): Promise<Finding> => {
      const [balancer, health] = await Promise.all([
        reach(peer.address, settings.lbPort, limits),
        reach(peer.address, settings.healthPort, limits),
      ]);
      return judgePeerPorts({ peer, balancer, health }, settings.lbPort);
    };
    return worstOf(await Promise.all(peers.peers.map(ask)), 'there is no other node');
  },
};

export const peerPortChecks: readonly Check<ApiLbContext>[] = [peerPorts];
