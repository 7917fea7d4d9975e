import * as z from 'zod/mini';
import { messageOf } from '../engine/system/errors.ts';
import { readKeyPair } from '../haproxy/certificates/key-pair.ts';

/** A Secret's certificate in the form that HAProxy reads. */
export type SecretCertificate =
  | { readonly kind: 'usable'; readonly name: string; readonly pem: string }
  | { readonly kind: 'wrong'; readonly name: string; readonly message: string };

const secret = z.object({
  metadata: z.object({ name: z.string() }),
  data: z.nullish(z.record(z.string(), z.string())),
});

/** Reads a Secret of core/v1; undefined for any other object. Never throws. */
export function readCertificate(object: unknown): SecretCertificate | undefined {
  const { data } = secret.safeParse(object);
  if (data === undefined) return undefined;
  const { name } = data.metadata;
  const textOf = (key: string): string => Buffer.from(data.data?.[key] ?? '', 'base64').toString();
  const pair = readSafely(textOf('tls.crt'), textOf('tls.key'));
  return typeof pair === 'object'
    ? { kind: 'usable', name, pem: pair.pem }
    : { kind: 'wrong', name, message: pair ?? 'it has no tls.crt' };
}

/** Returns the message of an exception as well: OpenSSL may throw for input that passes hawser's checks. */
function readSafely(certificate: string, key: string): ReturnType<typeof readKeyPair> {
  try {
    return readKeyPair(certificate, key);
  } catch (error) {
    return messageOf(error);
  }
}

/** The PEM texts by the names of their Secrets, sorted by name. */
export type Certificates = Readonly<Record<string, string>>;

export interface Chosen {
  readonly certificates: Certificates;
  /** Why the first unusable Secret cannot be used. Its previous certificate, if any, is still served. */
  readonly trouble: string | undefined;
  /** A Secret has never been usable, so nothing can be configured yet. */
  readonly isLacking: boolean;
}

/** Each Secret's current certificate, or its last usable one. */
export function chooseCertificates(
  names: readonly string[],
  found: readonly SecretCertificate[],
  before: Certificates,
): Chosen {
  const certificates: Record<string, string> = {};
  const troubles: string[] = [];
  for (const name of names) {
    const secret = found.find((each) => each.name === name);
    const served = Object.hasOwn(before, name) ? before[name] : undefined;
    const pem = secret?.kind === 'usable' ? secret.pem : served;
    if (pem !== undefined) certificates[name] = pem;
    if (secret?.kind === 'usable') continue;
    const what = secret === undefined ? 'it does not exist' : secret.message;
    troubles.push(
      `Cannot use Secret "${name}": ${what}, expected a certificate in tls.crt and its key in tls.key`,
    );
  }
  const isLacking = names.some((name) => !Object.hasOwn(certificates, name));
  return { certificates, trouble: troubles[0], isLacking };
}
