import type { Deploy, SetVersion } from './deploy-state.ts';
import type { Revision } from './set.ts';

/** Limit for remembered versions and for remembered refusals. One generation produces fewer. */
export const MAX_REMEMBERED = 8;

export function withCandidate<T>({ candidates }: Deploy<T>, one: SetVersion): readonly SetVersion[] {
  return [one, ...candidates.filter(({ revision }) => revision !== one.revision)].slice(0, MAX_REMEMBERED);
}

export function candidateWith<T>(
  { candidates }: Deploy<T>,
  revision: Revision | undefined,
): SetVersion | undefined {
  return candidates.find((each) => each.revision === revision);
}
