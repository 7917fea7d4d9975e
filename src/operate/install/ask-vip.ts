import { connect, type TLSSocket } from 'node:tls';
import { codeOf } from '../../engine/system/errors.ts';
import { neighbourOf } from '../../engine/system/network/neighbours.ts';

/** A present host accepts a connection at once; a busy API server needs longer for a handshake. */
const CONNECT_TIMEOUT_MS = 1_500;
const HANDSHAKE_TIMEOUT_MS = 10_000;
const TABLE_TIMEOUT_MS = 10_000;

/** The host that has an address. */
export type VipAnswer =
  | { readonly kind: 'free' }
  /** A server whose certificate this cluster's authority has signed. */
  | { readonly kind: 'cluster' }
  | { readonly kind: 'taken'; readonly what: string };

/**
 * Connects to a port of the VIP. A host that refuses is present too, and a silent one may have answered ARP.
 * `authority` is the PEM of the cluster's CA; without one the cluster cannot be recognised.
 */
export async function askVip(vip: string, port: number, authority: string | undefined): Promise<VipAnswer> {
  const answer = await knock(vip, port, authority);
  if (answer !== undefined) return answer;
  const hardware = await neighbourOf(vip, TABLE_TIMEOUT_MS);
  if (hardware === undefined) return { kind: 'free' };
  return { kind: 'taken', what: `a machine with the hardware address ${hardware}` };
}

function knock(vip: string, port: number, authority: string | undefined): Promise<VipAnswer | undefined> {
  return new Promise((resolve) => {
    const socket = connect({
      ...{ host: vip, port, rejectUnauthorized: false, timeout: CONNECT_TIMEOUT_MS },
      // The chain counts: which names a certificate has is not known before the cluster is.
      checkServerIdentity: () => undefined,
      ...(authority === undefined ? {} : { ca: authority }),
    });
    const end = (answer: VipAnswer | undefined) => {
      resolve(answer);
      socket.destroy();
    };
    socket.on('connect', () => socket.setTimeout(HANDSHAKE_TIMEOUT_MS));
    socket.on('secureConnect', () => end(judge(socket, authority)));
    socket.on('timeout', () => end(undefined));
    socket.on('error', (error) => end(meaningOf(error, port)));
  });
}

function judge(socket: TLSSocket, authority: string | undefined): VipAnswer {
  if (authority !== undefined && socket.authorized) return { kind: 'cluster' };
  const { issuer } = socket.getPeerCertificate();
  const signer = issuer?.CN === undefined ? 'an unknown authority' : `"${String(issuer.CN)}"`;
  return { kind: 'taken', what: `a TLS server with a certificate of ${signer}` };
}

/** Undefined where nothing came back. */
function meaningOf(error: Error, port: number): VipAnswer | undefined {
  const code = codeOf(error);
  if (code === 'ECONNREFUSED') return { kind: 'taken', what: `a machine with port ${port} closed` };
  if (code === 'ETIMEDOUT' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return undefined;
  if (code === 'EADDRNOTAVAIL' || code === 'EINVAL') return undefined;
  return { kind: 'taken', what: `a server on port ${port} that does not speak TLS` };
}
