import type { Decision } from './decide.ts';
import { claimOf, moveToRejected, type Refusal, type RejectedRoute } from './verdict.ts';

/** A decision, and those of its rejected routes that had passed admission. */
export interface ServableDecision {
  readonly decision: Decision;
  readonly leftOut: readonly RejectedRoute[];
}

/** Moves the routes with these keys to the rejected ones. Nothing else changes. */
export function rejectRoutes(
  servable: ServableDecision,
  refusals: ReadonlyMap<string, Refusal>,
): ServableDecision {
  if (refusals.size === 0) return servable;
  const { decision, leftOut } = servable;
  const { admission, model } = decision;
  const rejected = admission.admitted.flatMap((claim): readonly RejectedRoute[] => {
    const refusal = refusals.get(claim.key);
    return refusal === undefined ? [] : [{ ...claimOf(claim), ...refusal }];
  });
  if (rejected.length === 0) return servable;
  const backends = model.backends.filter(({ key }) => !refusals.has(key));
  return {
    decision: { ...decision, admission: moveToRejected(admission, rejected), model: { backends } },
    leftOut: [...leftOut, ...rejected],
  };
}
