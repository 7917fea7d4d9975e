import { readFile } from 'node:fs/promises';
import { connect, type TLSSocket } from 'node:tls';
import { messageOf } from '../../../engine/system/errors.ts';

export type TrustReading =
  | { readonly kind: 'trusted' }
  /** `reason` is OpenSSL's code, such as `SELF_SIGNED_CERT_IN_CHAIN` or `CERT_HAS_EXPIRED`. */
  | { readonly kind: 'untrusted'; readonly reason: string; readonly issuer: string }
  | { readonly kind: 'away'; readonly message: string };

/** A server, and the authority of a kubeconfig's cluster; without one the machine's own authorities count. */
interface TrustQuestion {
  readonly host: string;
  readonly port: number;
  /** PEM in base64. */
  readonly caData?: string | undefined;
  readonly caFile?: string | undefined;
}

/** Whether a server shows a certificate of the authority; names are not compared. Never throws. */
export async function lookAtTrust(
  question: TrustQuestion,
  limits: { readonly signal: AbortSignal; readonly answerTimeoutMs: number },
): Promise<TrustReading> {
  const { host, port, caData, caFile } = question;
  try {
    const ca = caData ? Buffer.from(caData, 'base64') : caFile ? await readFile(caFile) : undefined;
    return await shakeHands(host, port, ca, limits);
  } catch (error) {
    return { kind: 'away', message: messageOf(error) };
  }
}

function shakeHands(
  host: string,
  port: number,
  ca: Buffer | undefined,
  { signal, answerTimeoutMs }: { readonly signal: AbortSignal; readonly answerTimeoutMs: number },
): Promise<TrustReading> {
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port,
      rejectUnauthorized: false,
      checkServerIdentity: () => undefined,
      ...(ca === undefined ? {} : { ca }),
    });
    const settle = (look: TrustReading): void => {
      signal.removeEventListener('abort', stop);
      socket.destroy();
      resolve(look);
    };
    const stop = (): void => settle({ kind: 'away', message: 'it takes too long' });
    signal.addEventListener('abort', stop, { once: true });
    socket.setTimeout(answerTimeoutMs, stop);
    socket.once('error', (error) => settle({ kind: 'away', message: messageOf(error) }));
    socket.once('secureConnect', () => settle(trustOf(socket)));
  });
}

function trustOf(socket: TLSSocket): TrustReading {
  if (socket.authorized) return { kind: 'trusted' };
  const { issuer } = socket.getPeerCertificate();
  const reason = socket.authorizationError;
  return {
    kind: 'untrusted',
    reason: String(reason ?? 'it cannot be verified'),
    issuer: String(issuer?.CN ?? 'unknown'),
  };
}
