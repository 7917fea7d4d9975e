import { constants } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { SecureContextOptions, TLSSocket } from 'node:tls';
import { codeOf } from '../system/errors.ts';
import { serveUntil } from '../system/network/serve-until.ts';
import { certificateTrouble } from './certificate-trouble.ts';
import { createConnectionGate, type GateLimits } from './connection-gate.ts';
import type { PeerCredentials } from './credentials.ts';
import type { ReportRefusal } from './refusals.ts';

export interface PeerServerLimits extends GateLimits {
  readonly handshakeMs: number;
  readonly headerBytes: number;
}

export const peerServerLimits: PeerServerLimits = {
  connections: 32,
  perAddress: 8,
  connectionMs: 10_000,
  handshakeMs: 3_000,
  headerBytes: 4_096,
};

export interface PeerServer {
  /** Handshakes from now on show these, and believe this authority. */
  readonly use: (credentials: PeerCredentials) => void;
}

/**
 * Speaks HTTP only to clients that have shown a certificate of the CA, over TLS 1.3; `onRequest` decides by that
 * certificate. Every other client is disconnected and reported to `refused`. Sessions are not resumed, so that each
 * connection is judged by its own certificates and time. Serves until `signal` aborts; rejects with the system's error
 * if the address is in use or not ours.
 */
export async function servePeers(
  address: { readonly host: string; readonly port: number },
  credentials: PeerCredentials,
  { onRequest, refused }: { readonly onRequest: RequestListener; readonly refused: ReportRefusal },
  signal: AbortSignal,
  limits: PeerServerLimits = peerServerLimits,
): Promise<PeerServer> {
  const server = createServer(
    {
      ...contextOf(credentials),
      requestCert: true,
      // Judged below: here Node would only say that the connection was reset.
      rejectUnauthorized: false,
      handshakeTimeout: limits.handshakeMs,
      maxHeaderSize: limits.headerBytes,
    },
    onRequest,
  );
  // Both come before Node's own listeners, which read nothing from a socket that is destroyed.
  server.prependListener('connection', createConnectionGate(limits));
  server.prependListener('secureConnection', (socket) => {
    const trouble = troubleOf(socket);
    if (trouble === undefined) return;
    refused(socket.remoteAddress ?? 'unknown', trouble);
    socket.destroy();
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  server.on('tlsClientError', (error, socket) => {
    const code = codeOf(error) ?? '';
    // A client that went away, or said nothing for too long, was not refused.
    if (code.startsWith('ERR_SSL_'))
      refused(socket.remoteAddress ?? 'unknown', `it speaks no TLS 1.3 (${code})`);
    socket.destroy();
  });
  await serveUntil(server, address, { ...limits, whenFull: 'newest-goes' }, signal);
  return { use: (next) => server.setSecureContext(contextOf(next)) };
}

function contextOf({ ca, cert, key }: PeerCredentials): SecureContextOptions {
  return { ca, cert, key, minVersion: 'TLSv1.3', secureOptions: constants.SSL_OP_NO_TICKET };
}

function troubleOf(socket: TLSSocket): string | undefined {
  if (socket.getPeerX509Certificate() === undefined) return 'it shows no certificate';
  if (socket.authorized) return undefined;
  const code = String(socket.authorizationError);
  return certificateTrouble(code) ?? `its certificate cannot be verified (${code})`;
}
