import type { RequestListener } from 'node:http';
import { messageOf } from '../system/errors.ts';
import type { Log } from '../system/log.ts';
import type { PeerCredentials } from './credentials.ts';
import { type PeerServer, servePeers } from './peer-server.ts';
import type { ReportRefusal } from './refusals.ts';

interface PeerListeners {
  /**
   * Listens at these addresses and at no others. An address that cannot be used is logged once, and tried at each call.
   */
  readonly listenAt: (hosts: readonly string[], credentials: PeerCredentials) => Promise<void>;
  /** Another certificate for all of them. */
  readonly use: (credentials: PeerCredentials) => void;
}

interface Listener {
  readonly server: PeerServer;
  readonly stop: AbortController;
}

/** `servePeers` at addresses that come and go with this node's own, until `signal` aborts. */
export function createPeerListeners(
  port: number,
  serving: { readonly onRequest: RequestListener; readonly refused: ReportRefusal; readonly log: Log },
  signal: AbortSignal,
): PeerListeners {
  const open = new Map<string, Listener>();
  const troubles = new Map<string, string>();
  const start = async (host: string, credentials: PeerCredentials): Promise<void> => {
    const stop = new AbortController();
    try {
      const until = AbortSignal.any([signal, stop.signal]);
      open.set(host, { server: await servePeers({ host, port }, credentials, serving, until), stop });
      troubles.delete(host);
      serving.log({ event: 'peer-status-served', host, port });
    } catch (error) {
      const message = messageOf(error);
      if (troubles.get(host) !== message)
        serving.log({ event: 'peer-status-not-served', level: 'warn', host, port, message });
      troubles.set(host, message);
    }
  };
  return {
    listenAt: async (hosts, credentials) => {
      for (const [host, { stop }] of open) {
        if (hosts.includes(host)) continue;
        stop.abort();
        open.delete(host);
        serving.log({ event: 'peer-status-withdrawn', host, port });
      }
      for (const host of hosts) if (!open.has(host)) await start(host, credentials);
    },
    use: (credentials) => {
      for (const { server } of open.values()) server.use(credentials);
    },
  };
}
