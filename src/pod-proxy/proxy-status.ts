import * as z from 'zod/mini';
import { lastChangeSchema } from '../engine/monitor/last-change-schema.ts';
import type { Immutable } from '../engine/system/immutable.ts';
import { dnsStatusSchema } from './dns/target.ts';

/**
 * Why what the annotations ask for is not served: `AnnotationRefused`, `NotReadable`, `TemplateMissing`, `TemplateRefused`, `ConfigurationRefused`;
 * or what is served with a restriction: `CertificateRefused` (the earlier certificate is used), `AddressesLimited`. `detail` is HAProxy's own words.
 */
const problem = z.object({ reason: z.string(), message: z.string(), detail: z.optional(z.string()) });

/** What `GET /status` of the pod proxy answers. */
export const proxyStatusSchema = z.object({
  version: z.string(),
  /** `NAMESPACE/NAME`. */
  pod: z.string(),
  /** This pod and what its annotations name are known. */
  known: z.boolean(),
  /** What HAProxy is configured with; null before the first configuration. */
  hosts: z.nullable(z.record(z.string(), z.array(z.string()))),
  /** Why the template is not served while the previous configuration still is; null if it is served. */
  problem: z.nullable(problem),
  /** The one before, and how long it is over; null if there was none. */
  lastProblem: z.nullable(z.extend(problem, { agoMs: z.number() })),
  /** Null if no DNS record is asked for, missing in the answer of an older version. */
  dns: z.nullish(dnsStatusSchema),
  configSha256: z.nullable(z.string()),
  lastChange: z.nullable(lastChangeSchema),
});

export type ProxyStatus = Immutable<z.infer<typeof proxyStatusSchema>>;
export type Problem = NonNullable<ProxyStatus['problem']>;
