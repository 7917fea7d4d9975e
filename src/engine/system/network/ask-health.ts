import { ask, unverified } from './ask.ts';

export interface HealthUrl {
  readonly secure: boolean;
  /** An address without brackets. */
  readonly host: string;
  readonly port: number;
  /** Includes the query. */
  readonly path: string;
}

/** `detail` is the status, such as `HTTP 503`, or the reason why there is no answer. Without an answer `status` is absent. */
export interface HealthAnswer {
  readonly ok: boolean;
  readonly detail: string;
  readonly status?: number;
}

/**
 * Whether the server answers its health URL in time with 2xx, or with a status that `isOk` accepts. The certificate is not verified: the request
 * contains no secret, and only liveness matters. Never rejects.
 */
export async function askHealth(
  { secure, ...where }: HealthUrl,
  timeoutMs: number,
  signal: AbortSignal,
  isOk = (status: number): boolean => status >= 200 && status <= 299,
): Promise<HealthAnswer> {
  const answer = await ask({ ...where, tls: secure ? unverified : undefined }, { timeoutMs, signal });
  if (answer.kind === 'silent') return { ok: false, detail: answer.reason };
  return { ok: isOk(answer.status), detail: `HTTP ${answer.status}`, status: answer.status };
}
