import { onTestFinished } from 'vitest';
import { type AskLimits, askPeer, type PeerAnswer } from '../../../src/engine/peers/ask-peer.ts';
import type { PeerCredentials } from '../../../src/engine/peers/credentials.ts';
import { createPeerAnswers, type PeerAnswers } from '../../../src/engine/peers/peer-answers.ts';
import {
  type PeerServerLimits,
  peerServerLimits,
  servePeers,
} from '../../../src/engine/peers/peer-server.ts';
import { createRefusals } from '../../../src/engine/peers/refusals.ts';
import type { ClusterNode } from '../../../src/engine/system/network/cluster-node.ts';
import { freePort } from '../free-port.ts';

/** The node that serves is asked at loopback; the one that asks is only known by its name. */
export const group: readonly ClusterNode[] = [
  { name: 'cp-1', addresses: ['127.0.0.1'] },
  { name: 'cp-2', addresses: ['10.0.0.12'] },
];

export const serving = { commonName: 'x', dnsNames: ['cp-1'] };
export const asking = { commonName: 'x', dnsNames: ['cp-2'] };

export interface PeerScene {
  readonly port: number;
  /** Of the log events. */
  readonly told: readonly Record<string, unknown>[];
  readonly reasons: () => readonly unknown[];
  readonly use: (credentials: PeerCredentials) => void;
  readonly stop: () => void;
  /** As cp-2, what cp-1 publishes. */
  readonly ask: (
    credentials: PeerCredentials,
    path?: string,
    limits?: Partial<AskLimits>,
  ) => Promise<PeerAnswer>;
}

/** A server of a node in this process, until the test is over. */
export async function peerScene(
  credentials: PeerCredentials,
  answers: Partial<PeerAnswers> = {},
  limits: Partial<PeerServerLimits> = {},
): Promise<PeerScene> {
  const told: Record<string, unknown>[] = [];
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const refused = createRefusals(
    (event) => told.push({ ...event }),
    () => performance.now(),
  );
  const all = { nodes: () => group, status: async () => '{"v":1}', journal: undefined, ...answers };
  const port = await freePort();
  const { use } = await servePeers(
    { host: '127.0.0.1', port },
    credentials,
    { onRequest: createPeerAnswers(all, refused), refused },
    stop.signal,
    { ...peerServerLimits, ...limits },
  );
  return {
    ...{ port, told, use, stop: () => stop.abort() },
    reasons: () => told.map(({ reason }) => reason),
    ask: async (own, path = '/status', askLimits = {}) =>
      await askPeer(
        { name: 'cp-1', address: '127.0.0.1' },
        path,
        { credentials: own, port },
        {
          ...{ timeoutMs: 20_000, maxBytes: 1_000_000, signal: stop.signal },
          ...askLimits,
        },
      ),
  };
}
