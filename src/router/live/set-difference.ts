import type { Rendered } from '../../engine/apply/file-set.ts';
import { type KnownSet, setDifferenceOf } from '../../haproxy/runtime/difference.ts';
import type { Plan } from '../../haproxy/runtime/plan.ts';
import type { KindOf } from '../../haproxy/runtime/plan-files.ts';
import { CERTIFICATE_LIST_FILE, SERVER_STATES_FILE } from '../configuration/file-names.ts';
import type { RouterSettings } from '../settings/router-settings.ts';

/**
 * How to come from one set of the router's files to another. Maps of regular expressions are read from their first line to their last, and
 * HAProxy can only be told of new last ones.
 */
export function routerDifference({
  lookup,
}: Pick<RouterSettings, 'lookup'>): (before: KnownSet | undefined, after: Rendered) => Plan {
  const kindOf: KindOf = (name) => {
    if (name === SERVER_STATES_FILE) return 'start';
    if (name === CERTIFICATE_LIST_FILE) return 'certificate-list';
    if (name.startsWith('certs/')) return 'certificate';
    return name.startsWith('maps/') && lookup === 'hash' ? 'map' : undefined;
  };
  return (before, after) => setDifferenceOf(before, after, kindOf);
}
