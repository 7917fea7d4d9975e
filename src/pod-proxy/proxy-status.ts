import * as z from 'zod/mini';
import { lastChangeSchema } from '../engine/monitor/last-change-schema.ts';
import type { Immutable } from '../engine/system/immutable.ts';
import { dnsStatusSchema } from './dns/target.ts';

/**
 * A problem with the annotations. Their configuration is not served: `AnnotationRefused`, `NotReadable`, `TemplateMissing`, `TemplateRefused`,
 * `ConfigurationRefused`. Or it is served with a restriction: `CertificateRefused` (the previous certificate is used), `AddressesLimited`,
 * and `NotReadable` if everything was read before (what was read last is used).
 * `detail` is HAProxy's own message.
 */
const problem = z.object({ reason: z.string(), message: z.string(), detail: z.optional(z.string()) });

/** The pod proxy's answer to `GET /status`. */
export const proxyStatusSchema = z.object({
  version: z.string(),
  /** `NAMESPACE/NAME`. */
  pod: z.string(),
  /** Whether this pod and the objects that its annotations request have been read. */
  synced: z.boolean(),
  /** HAProxy's configured addresses; null before the first configuration. */
  hosts: z.nullable(z.record(z.string(), z.array(z.string()))),
  /** Why the template is not served, or only with a restriction; null if it is served. */
  problem: z.nullable(problem),
  /** The last resolved problem, and how long ago it ended; null if there was none. */
  lastProblem: z.nullable(z.extend(problem, { agoMs: z.number() })),
  /** Null if no DNS record is requested; absent from older versions. */
  dns: z.nullish(dnsStatusSchema),
  configSha256: z.nullable(z.string()),
  lastChange: z.nullable(lastChangeSchema),
});

export type ProxyStatus = Immutable<z.infer<typeof proxyStatusSchema>>;
export type Problem = NonNullable<ProxyStatus['problem']>;
