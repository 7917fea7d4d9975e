import * as z from 'zod/mini';
import { versionField } from './kube-objects.ts';

/** The spec of a Lease (coordination.k8s.io/v1). */
const leaseSpec = z.looseObject({
  /** Empty if the lease was released. */
  holderIdentity: z.nullish(z.string()),
  leaseDurationSeconds: z.nullish(z.number()),
  acquireTime: z.nullish(z.string()),
  renewTime: z.nullish(z.string()),
  leaseTransitions: z.nullish(z.number()),
});

export type LeaseSpec = z.infer<typeof leaseSpec>;

export const leaseObject = z.object({
  metadata: z.object({ resourceVersion: versionField }),
  spec: z.prefault(leaseSpec, {}),
});

export function firstSpec(identity: string, durationMs: number, now: Date): LeaseSpec {
  return { ...renewed(identity, durationMs, now), acquireTime: microTime(now), leaseTransitions: 0 };
}

/** The spec that renews a lease held by `identity`, or else takes it over. */
export function nextSpec(spec: LeaseSpec, identity: string, durationMs: number, now: Date): LeaseSpec {
  if (spec.holderIdentity === identity) return renewed(identity, durationMs, now);
  const leaseTransitions = (spec.leaseTransitions ?? 0) + 1;
  return { ...renewed(identity, durationMs, now), acquireTime: microTime(now), leaseTransitions };
}

/** A lease without a holder that expires after a second, for contenders that only compare times. */
export function releasedSpec(now: Date): LeaseSpec {
  return { holderIdentity: '', leaseDurationSeconds: 1, renewTime: microTime(now) };
}

function renewed(holderIdentity: string, durationMs: number, now: Date): LeaseSpec {
  return { holderIdentity, leaseDurationSeconds: Math.ceil(durationMs / 1_000), renewTime: microTime(now) };
}

/** A MicroTime: API servers require six fractional digits. */
function microTime(now: Date): string {
  return now.toISOString().replace('Z', '000Z');
}
