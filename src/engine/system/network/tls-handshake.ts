import { connect, type PeerCertificate } from 'node:tls';

type Handshake =
  /** If the certificate is not trusted, `reason` is OpenSSL's code, such as `SELF_SIGNED_CERT_IN_CHAIN` or `CERT_HAS_EXPIRED`. */
  | {
      readonly kind: 'done';
      readonly isTrusted: boolean;
      readonly reason: string;
      readonly certificate: PeerCertificate;
    }
  | { readonly kind: 'failed'; readonly error: Error }
  | { readonly kind: 'late' };

/**
 * Checks whether a server has a certificate of this authority (PEM), or of the machine's authorities if none is given. Host names are not compared.
 * Rejects if the authority is not PEM.
 */
export function shakeHands(
  {
    authority,
    ...server
  }: { readonly host: string; readonly port: number; readonly authority?: string | Buffer | undefined },
  limits: { readonly connectMs: number; readonly handshakeMs: number; readonly signal?: AbortSignal },
): Promise<Handshake> {
  const { connectMs, handshakeMs, signal } = limits;
  return new Promise((resolve) => {
    const socket = connect({
      ...server,
      rejectUnauthorized: false,
      timeout: connectMs,
      checkServerIdentity: () => undefined,
      ...(authority === undefined ? {} : { ca: authority }),
    });
    const settle = (handshake: Handshake): void => {
      signal?.removeEventListener('abort', stop);
      resolve(handshake);
      socket.destroy();
    };
    const stop = (): void => settle({ kind: 'late' });
    signal?.addEventListener('abort', stop, { once: true });
    socket.on('connect', () => socket.setTimeout(handshakeMs));
    socket.on('timeout', stop);
    socket.on('error', (error) => settle({ kind: 'failed', error }));
    socket.on('secureConnect', () => {
      const reason = String(socket.authorizationError ?? 'it cannot be verified');
      settle({
        kind: 'done',
        isTrusted: socket.authorized,
        reason,
        certificate: socket.getPeerCertificate(),
      });
    });
  });
}
