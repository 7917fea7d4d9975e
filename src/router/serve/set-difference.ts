import type { Plan } from '../../engine/config/deploy-state.ts';
import { othersOf, type Rendered, setOfPieces } from '../../engine/config/set.ts';
import type { RuntimeChange, ServerChange } from '../../haproxy/runtime/change.ts';
import { planBetween } from '../../haproxy/runtime/difference.ts';
import type { KindOf } from '../../haproxy/runtime/plan-files.ts';
import { piecesOf } from '../../haproxy/text/config-text.ts';
import { CERTIFICATE_LIST_FILE, SERVER_STATES_FILE } from '../render/file-names.ts';
import type { RouterSettings } from '../settings/router-settings.ts';

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
    const servers = found.changes.filter(isServer);
    const others = found.changes.filter((change) => !isServer(change));
    const changes = [...inTurns(servers, namespaceOf), ...others];
    return smallerStep(running, { ...found, changes }, mostServers);
  };
}

function isServer({ kind }: RuntimeChange): boolean {
  return kind === 'server';
}

/** Of the server's backend, `be_http:shop:web`. */
function namespaceOf(change: RuntimeChange): string {
  return change.kind === 'server' ? (change.server.split(':')[1] ?? '') : '';
}

/**
 * The items of all groups in turn: the first of each, then the second of each. The order within a group stays, so an item waits for no more of
 * another group than come before it in its own, plus one.
 */
export function inTurns<T>(items: readonly T[], groupOf: (item: T) => string): readonly T[] {
  const groups = [...Map.groupBy(items, groupOf).values()];
  if (groups.length < 2) return items;
  const rounds = Math.max(...groups.map(({ length }) => length));
  return Array.from({ length: rounds }, (_, round) =>
    groups.flatMap((group) => group.slice(round, round + 1)),
  ).flat();
}

/** Takes HAProxy a quarter of a second, which is how long a change of another namespace waits. */
const MOST_SERVERS = 100;

type ChangePlan = Plan<RuntimeChange>;

/** The first changes of servers only, if there are many. The next plan has the rest. */
function smallerStep(running: Rendered, plan: ChangePlan, most = MOST_SERVERS): ChangePlan {
  const servers = plan.changes.filter((change) => change.kind === 'server');
  if (servers.length <= most || piecesOf(running).length === 1) return plan;
  const changes = servers.slice(0, most);
  const chosen = Map.groupBy(changes, ({ server }) => server.slice(0, server.indexOf('/')));
  const wanted = new Map(piecesOf(plan.running).map((piece) => [backendOf(piece), piece]));
  const pieces = piecesOf(running).map((piece) => {
    const changes = chosen.get(backendOf(piece) ?? '');
    const after = wanted.get(backendOf(piece));
    return changes === undefined || after === undefined ? piece : changedPiece(piece, after, changes);
  });
  const after = setOfPieces(pieces, { mode: running.mode, others: othersOf(running) });
  return { ...plan, changes, readsFiles: false, running: after };
}

function backendOf(piece: string): string | undefined {
  return /^\nbackend (\S+)/.exec(piece)?.[1];
}

/** A backend with these changes only: each of its servers is that of one of the two. */
function changedPiece(before: string, after: string, changes: readonly ServerChange[]): string {
  const now = new Map(after.split('\n').map((line) => [serverIn(line), line]));
  const names = new Map(changes.map(({ server, wanted }) => [server.slice(server.indexOf('/') + 1), wanted]));
  const lines = before.split('\n').flatMap((line) => {
    const name = serverIn(line);
    if (name === undefined || !names.has(name)) return [line];
    const wanted = names.get(name);
    names.delete(name);
    return wanted === null ? [] : [now.get(name) ?? line];
  });
  const news = [...names.keys()].flatMap((name) => now.get(name) ?? []);
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return lines.toSpliced(last + 1, 0, ...news).join('\n');
}

function serverIn(line: string): string | undefined {
  return /^\s+server (\S+) /.exec(line)?.[1];
}
