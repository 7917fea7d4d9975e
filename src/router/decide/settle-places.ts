import { isDeepStrictEqual } from 'node:util';
import { compareText } from '../../engine/system/text/compare-text.ts';
import type { AskedPlace } from './asked-places.ts';
import { createHostClaims } from './host-claims.ts';
import type { Refusal } from './verdict.ts';

/** A route's place, and why it cannot have it; undefined if it has it. */
export interface SettledPlace {
  readonly asked: AskedPlace;
  readonly refusal: Refusal | undefined;
  /** Its index in the list of claims. */
  readonly index: number;
}

/**
 * Who gets what, in the order of the keys. Claims that already hold their hosts (`held`, by index) come first, then the others; each group oldest
 * first. A host that is served cannot be taken by editing an older object to ask for it.
 */
export function settlePlaces(
  all: readonly AskedPlace[],
  held: ReadonlySet<number>,
  namespaceOwnership: boolean,
): readonly SettledPlace[] {
  const claims = createHostClaims(namespaceOwnership);
  const keys = new Set<string>();
  const settled = all
    .map((asked, index) => ({ asked, index }))
    .sort((a, b) => Number(held.has(b.index)) - Number(held.has(a.index)) || olderFirst(a.asked, b.asked))
    .map(({ asked, index }): SettledPlace => {
      const refusal = (keys.has(asked.key) ? twice : asked.refusal) ?? claims.claim(asked);
      keys.add(asked.key);
      return { asked, refusal, index };
    });
  return settled.sort((a, b) => compareText(a.asked.key, b.asked.key));
}

/** Whether two lists say the same, whatever objects they have. */
export function isSameEach(one: readonly unknown[], other: readonly unknown[]): boolean {
  return (
    one.length === other.length &&
    one.every((each, index) => each === other[index] || isDeepStrictEqual(each, other[index]))
  );
}

const twice: Refusal = { reason: 'RouteNotAdmitted', message: 'another object has the same name' };

function olderFirst(a: AskedPlace, b: AskedPlace): number {
  return a.createdMs - b.createdMs || compareText(a.uid, b.uid) || compareText(a.key, b.key);
}
