import type { Rendered } from '../../engine/apply/file-set.ts';
import type { RuntimeChange } from '../../haproxy/runtime/change.ts';
import { type Difference, difference, type KnownSet, planOf } from '../../haproxy/runtime/difference.ts';
import type { Plan } from '../../haproxy/runtime/plan.ts';
import type { KindOf } from '../../haproxy/runtime/plan-files.ts';
import { CERTIFICATE_LIST_FILE, SERVER_STATES_FILE } from '../render/file-names.ts';
import type { RouterSettings } from '../settings/router-settings.ts';
import { inTurns } from './in-turns.ts';

type Compare = (before: KnownSet | undefined, after: Rendered) => Difference;

/**
 * The changes from one set of the router's files to another. Servers change round-robin by namespace, so that a tenant with thousands of
 * endpoints does not delay the others. Maps of regular expressions are read from first line to last, and HAProxy can only append lines at
 * runtime.
 */
export function compareSets({ lookup }: Pick<RouterSettings, 'lookup'>): Compare {
  const kindOf: KindOf = (name) => {
    if (name === SERVER_STATES_FILE) return 'start';
    if (name === CERTIFICATE_LIST_FILE) return 'certificate-list';
    if (name.startsWith('certs/')) return 'certificate';
    return name.startsWith('maps/') && lookup === 'hash' ? 'map' : undefined;
  };
  const isServer = ({ kind }: RuntimeChange): boolean => kind === 'server';
  const compare: Compare = (before, after) => {
    const found = difference(before, after, kindOf);
    const servers = inTurns(found.tell.filter(isServer), namespaceOf);
    return { ...found, tell: [...servers, ...found.tell.filter((change) => !isServer(change))] };
  };
  let last:
    | { readonly before: KnownSet | undefined; readonly after: Rendered; readonly found: Difference }
    | undefined;
  return (before, after) => {
    // Whether a change may be applied, and how, are two questions about the same pair.
    if (last?.before !== before || last?.after !== after)
      last = { before, after, found: compare(before, after) };
    return last.found;
  };
}

/** The same, as one plan for the whole set. */
export function routerDifference(
  settings: Pick<RouterSettings, 'lookup'>,
): (before: KnownSet | undefined, after: Rendered) => Plan {
  const compare = compareSets(settings);
  return (before, after) => planOf(compare(before, after));
}

/** Of the server's backend, `be_http:shop:web`. */
function namespaceOf(change: RuntimeChange): string {
  return change.kind === 'server' ? (change.server.split(':')[1] ?? '') : '';
}
