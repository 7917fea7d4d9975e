import { type Finding, fail, ok, unknown, warn } from '../../engine/examine/check.ts';
import type { ApiFailure } from '../../engine/kube/api-request.ts';
import type { ObjectAnswer } from '../../engine/kube/ask-object.ts';
import { leaseObject } from '../../engine/kube/lease-spec.ts';

/** Clocks of replicas and of this machine may differ by so much. */
const SLACK_MS = 5_000;

/** Whether one of the replicas writes the Routes' statuses. */
export function judgeLease(name: string, answer: ObjectAnswer | ApiFailure, now: number): Finding {
  const look = 'kubectl logs POD -c router | grep lease says why; look at check router-rbac';
  if (answer.kind === 'refused' && answer.status === 404)
    return fail(`there is no Lease ${name}: no replica writes the statuses of Routes`, look);
  if (answer.kind !== 'object') return unknown(answer.message, 'look at check router-rbac');
  const { data } = leaseObject.safeParse(answer.value);
  if (data === undefined) return unknown(`${name} is no Lease`, `kubectl get lease ${name} -o yaml`);
  const { holderIdentity, renewTime, leaseDurationSeconds } = data.spec;
  if (!holderIdentity)
    return warn(`nobody holds Lease ${name}: a replica takes it within 15 s, if one is ready`, look);
  const idleMs = now - Date.parse(renewTime ?? '');
  if (!(idleMs < (leaseDurationSeconds ?? 0) * 1_000 + SLACK_MS))
    return fail(`${holderIdentity} holds Lease ${name} and does not renew it (since ${renewTime})`, look);
  return ok(`${holderIdentity} writes`);
}
