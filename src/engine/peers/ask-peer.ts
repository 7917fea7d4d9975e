import { X509Certificate } from 'node:crypto';
import * as z from 'zod/mini';
import { codeOf, messageOf } from '../system/errors.ts';
import { hostPort } from '../system/network/address-text.ts';
import { type AskStage, ask } from '../system/network/ask.ts';
import { parseJson } from '../system/text/parse-json.ts';
import { certificateTrouble } from './certificate-trouble.ts';
import type { PeerCredentials } from './credentials.ts';
import { isOfNode, namesIn } from './identity.ts';
import type { Peer } from './peer.ts';
import { CLOCK_HEADER } from './peer-answers.ts';

/** How this node asks the others. */
export interface PeerAccess {
  readonly credentials: PeerCredentials;
  /** The same on all nodes. */
  readonly port: number;
}

/**
 * `clockOffMs`: by how much the peer's clock is ahead of ours at least, or behind (negative); 0 where the time of the question does
 * not tell them apart, undefined where the peer does not say what time it has.
 */
export type PeerAnswer =
  | { readonly kind: 'answer'; readonly body: Buffer; readonly clockOffMs: number | undefined }
  /** A sentence about the peer, without its name: `it refuses this node: its certificate …`. */
  | { readonly kind: 'problem'; readonly problem: string };

export interface AskLimits {
  /** From the call to the last byte. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** `https://10.0.0.12:29450/journal`. */
export function peerUrl({ address }: Peer, port: number, path: string): string {
  return `https://${hostPort({ host: address, port })}${path}`;
}

/**
 * The body of a 200 answer of a peer that has shown a certificate of the authority with its name or its address in it.
 * A connection each, nothing cached. Never rejects.
 */
export async function askPeer(
  peer: Peer,
  path: string,
  { credentials, port }: PeerAccess,
  { timeoutMs, maxBytes, signal }: AskLimits,
): Promise<PeerAnswer> {
  const { ca, cert, key } = credentials;
  const checkServerIdentity = (_host: string, shown: { readonly raw: Buffer }): Error | undefined =>
    identityTrouble(new X509Certificate(shown.raw), peer);
  const identity = { ca, cert, key, checkServerIdentity, minVersion: 'TLSv1.3' } as const;
  const askedAtMs = Date.now();
  const answer = await ask(
    { host: peer.address, port, path, tls: { ...identity, rejectUnauthorized: true } },
    { timeoutMs, maxBytes, signal },
  );
  if (answer.kind === 'answered' && answer.status === 200) {
    const said = answer.headers[CLOCK_HEADER];
    return { kind: 'answer', body: answer.body, clockOffMs: clockOff(said, askedAtMs, answer.headAtMs) };
  }
  if (answer.kind === 'answered')
    return { kind: 'problem', problem: refusalText(answer.status, answer.body) };
  if (signal.aborted) return { kind: 'problem', problem: 'it was not waited for' };
  if (answer.isLate) return { kind: 'problem', problem: answer.reason };
  const where = `${peer.address} port ${port}`;
  return { kind: 'problem', problem: troubleText(answer.error, answer.stage, where) };
}

/** Zero if its time was right at some moment between question and answer, else the remaining difference. */
function clockOff(said: unknown, askedAtMs: number, answeredAtMs: number): number | undefined {
  const theirsMs = Date.parse(String(said));
  if (Number.isNaN(theirsMs)) return undefined;
  return Math.max(0, theirsMs - answeredAtMs) + Math.min(0, theirsMs - askedAtMs);
}

function identityTrouble(certificate: X509Certificate, { name, address }: Peer): Error | undefined {
  if (isOfNode(certificate, { name, addresses: [address] })) return undefined;
  return new Error(`it shows a certificate of ${namesIn(certificate)}, expected ${name} or ${address} in it`);
}

const problemSchema = z.object({ problem: z.string() });

function refusalText(status: number, body: Buffer): string {
  const said = problemSchema.safeParse(parseJson(body.toString('utf8')));
  const words = said.success ? said.data.problem : `HTTP ${status}`;
  const who = status === 403 ? 'it refuses this node: ' : 'it says: ';
  return `${who}${words.slice(0, 300)}`;
}

const ENDED: Readonly<Record<AskStage, string>> = {
  connecting: 'it ended the connection: it is no hawser, or has too many connections',
  asking: 'it ended the connection: it does not accept our certificate (peer-refused in its log says why)',
  reading: 'it ended the connection in the middle of its answer',
};

function troubleText(error: unknown, stage: AskStage, where: string): string {
  const code = codeOf(error) ?? '';
  if (code === 'ECONNREFUSED')
    return `nothing listens at ${where}: its keepalived monitor is down, or has no --peer-tls-… files`;
  if (code === 'ECONNRESET' || code === 'EPIPE') return ENDED[stage];
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) return `${where} speaks no TLS 1.3 (${code})`;
  return certificateTrouble(code) ?? messageOf(error);
}
