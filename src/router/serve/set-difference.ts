import type { Plan } from '../../engine/config/deploy-state.ts';
import type { Rendered } from '../../engine/config/set.ts';
import type { RuntimeChange } from '../../haproxy/runtime/change.ts';
import { planBetween } from '../../haproxy/runtime/difference.ts';
import type { KindOf } from '../../haproxy/runtime/plan-files.ts';
import { CERTIFICATE_LIST_FILE, SERVER_STATES_FILE } from '../render/file-names.ts';
import type { RouterSettings } from '../settings/router-settings.ts';
import { inTurns } from './in-turns.ts';
import { smallerStep } from './smaller-step.ts';

type Compare = (running: Rendered, wanted: Rendered) => Plan<RuntimeChange>;

/**
 * The changes from one set of the router's files to another. Servers change round-robin by namespace and in steps, so that a tenant with thousands
 * of endpoints does not delay the others. Maps of regular expressions are read from first line to last, and HAProxy can only append lines at
 * runtime.
 */
export function compareSets({ lookup }: Pick<RouterSettings, 'lookup'>, mostServers?: number): Compare {
  const kindOf: KindOf = (name) => {
    if (name === SERVER_STATES_FILE) return 'start';
    if (name === CERTIFICATE_LIST_FILE) return 'certificate-list';
    if (name.startsWith('certs/')) return 'certificate';
    return name.startsWith('maps/') && lookup === 'hash' ? 'map' : undefined;
  };
  return (running, wanted) => {
    const found = planBetween(running, wanted, kindOf);
    const [servers, others] = [found.tell.filter(isServer), found.tell.filter((change) => !isServer(change))];
    const tell = [...inTurns(servers, namespaceOf), ...others];
    return smallerStep(running, { ...found, tell }, mostServers);
  };
}

function isServer({ kind }: RuntimeChange): boolean {
  return kind === 'server';
}

/** Of the server's backend, `be_http:shop:web`. */
function namespaceOf(change: RuntimeChange): string {
  return change.kind === 'server' ? (change.server.split(':')[1] ?? '') : '';
}
