import type { Rendered } from '../../engine/apply/file-set.ts';
import type { RuntimeChange } from '../../haproxy/runtime/change.ts';
import { type KnownSet, setDifferenceOf } from '../../haproxy/runtime/difference.ts';
import type { Plan } from '../../haproxy/runtime/plan.ts';
import type { KindOf } from '../../haproxy/runtime/plan-files.ts';
import { CERTIFICATE_LIST_FILE, SERVER_STATES_FILE } from '../render/file-names.ts';
import type { RouterSettings } from '../settings/router-settings.ts';
import { inTurns } from './in-turns.ts';

/**
 * The changes from one set of the router's files to another. Servers change round-robin by namespace, so that a tenant with thousands of
 * endpoints does not delay the others. Maps of regular expressions are read from first line to last, and HAProxy can only append lines at
 * runtime.
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
  const compare = (before: KnownSet | undefined, after: Rendered): Plan => {
    const found = setDifferenceOf(before, after, kindOf);
    if (found.kind !== 'runtime') return found;
    const isServer = ({ kind }: RuntimeChange): boolean => kind === 'server';
    const servers = inTurns(found.changes.filter(isServer), namespaceOf);
    return { ...found, changes: [...servers, ...found.changes.filter((change) => !isServer(change))] };
  };
  let last:
    | { readonly before: KnownSet | undefined; readonly after: Rendered; readonly plan: Plan }
    | undefined;
  return (before, after) => {
    // Whether a change may be applied, and how, are two questions about the same pair.
    if (last?.before !== before || last?.after !== after)
      last = { before, after, plan: compare(before, after) };
    return last.plan;
  };
}

/** Of the server's backend, `be_http:shop:web`. */
function namespaceOf(change: RuntimeChange): string {
  return change.kind === 'server' ? (change.server.split(':')[1] ?? '') : '';
}
