import type { RouterModel } from '../model.ts';
import { type Admission, claimOf, type Refusal, type RejectedRoute } from './verdict.ts';

/** The decision without these routes, by key: they are rejected, and nothing else changes. */
export function rejectRoutes<D extends { readonly admission: Admission; readonly model: RouterModel }>(
  decision: D,
  refusals: ReadonlyMap<string, Refusal>,
): D {
  if (refusals.size === 0) return decision;
  const { admission, model } = decision;
  const rejected = admission.admitted.flatMap((claim): readonly RejectedRoute[] => {
    const refusal = refusals.get(claim.key);
    return refusal === undefined ? [] : [{ ...claimOf(claim), ...refusal }];
  });
  if (rejected.length === 0) return decision;
  const backends = model.backends.filter(({ key }) => !refusals.has(key));
  return { ...decision, admission: moveToRejected(admission, rejected), model: { backends } };
}

/** Rejects these, even if they were admitted. */
export function moveToRejected(admission: Admission, failed: readonly RejectedRoute[]): Admission {
  if (failed.length === 0) return admission;
  const { admitted, rejected } = admission;
  const keys = new Set(failed.map(({ key }) => key));
  return {
    admitted: admitted.filter(({ key }) => !keys.has(key)),
    rejected: [...rejected, ...failed].sort((a, b) => (a.key < b.key ? -1 : 1)),
  };
}
