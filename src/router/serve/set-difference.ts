import type { Plan, Reason } from '../../engine/config/deploy-state.ts';
import { othersOf, type Rendered, setOfPieces } from '../../engine/config/set.ts';
import type { RuntimeChange, ServerChange } from '../../haproxy/runtime/change.ts';
import { planBetween } from '../../haproxy/runtime/difference.ts';
import type { KindOf } from '../../haproxy/runtime/plan-files.ts';
import { piecesOf } from '../../haproxy/text/config-text.ts';
import { CERTIFICATE_LIST_FILE, SERVER_STATES_FILE } from '../render/file-names.ts';
import type { RouterSettings } from '../settings/router-settings.ts';

type Compare = (running: Rendered, desired: Rendered) => Plan<RuntimeChange>;

/** HAProxy takes five seconds for these. A reload is faster, and other tenants' new routes do not wait for the last change. */
const MOST_AT_RUNTIME = 2_000;

/**
 * Plans the runtime changes from one set of the router's files to another. Server changes take turns by namespace and are limited per step, so that a
 * tenant with thousands of endpoints does not delay the others. If more than `mostAtRuntime` servers changed, the namespaces with the most changes
 * wait for a reload. Maps of regular expressions always need a reload: their order matters, and HAProxy
 * can only append lines at runtime.
 */
export function compareSets(
  { lookup }: Pick<RouterSettings, 'lookup'>,
  maxServers?: number,
  mostAtRuntime = MOST_AT_RUNTIME,
): Compare {
  const kindOf: KindOf = (name) => {
    if (name === SERVER_STATES_FILE) return 'start';
    if (name === CERTIFICATE_LIST_FILE) return 'certificate-list';
    if (name.startsWith('certs/')) return 'certificate';
    return name.startsWith('maps/') && lookup === 'hash' ? 'map' : undefined;
  };
  /** Each step leaves fewer changes, but a namespace that waits must wait until its reload. */
  let waiting: ReadonlySet<string> = new Set();
  return (running, desired) => {
    const whole = planBetween(running, desired, kindOf);
    const heavy = heavyNamespaces(whole.changes.filter(isServer), mostAtRuntime, waiting);
    waiting = heavy;
    const found =
      heavy.size === 0 || piecesOf(running).length === 1
        ? whole
        : withReload(planBetween(running, withBackendsOf(running, desired, heavy), kindOf));
    const servers = found.changes.filter(isServer);
    const others = found.changes.filter((change) => !isServer(change));
    const changes = [...interleave(servers, namespaceOf), ...others];
    return smallerStep(running, { ...found, changes }, maxServers);
  };
}

function isServer({ kind }: RuntimeChange): boolean {
  return kind === 'server';
}

/** The namespace of the server's backend, such as `be_http:shop:web`. */
function namespaceOf(change: RuntimeChange): string {
  return change.kind === 'server' ? namespaceIn(change.server) : '';
}

function namespaceIn(backend: string): string {
  return backend.split(':')[1] ?? '';
}

/** Those of `waiting` that still have changes, and the namespaces with the most changes: without them there are at most `limit`. */
function heavyNamespaces(
  servers: readonly RuntimeChange[],
  limit: number,
  waiting: ReadonlySet<string>,
): ReadonlySet<string> {
  if (servers.length <= limit && waiting.size === 0) return waiting;
  const groups = [...Map.groupBy(servers, namespaceOf)].sort(([, a], [, b]) => b.length - a.length);
  const heavy = new Set(groups.flatMap(([namespace]) => (waiting.has(namespace) ? namespace : [])));
  let rest = servers.filter((change) => !heavy.has(namespaceOf(change))).length;
  for (const [namespace, { length }] of groups) {
    if (rest <= limit) break;
    if (heavy.has(namespace)) continue;
    heavy.add(namespace);
    rest -= length;
  }
  return heavy;
}

/** The desired set, with the running backends of these namespaces. */
function withBackendsOf(running: Rendered, desired: Rendered, namespaces: ReadonlySet<string>): Rendered {
  const before = new Map(piecesOf(running).map((piece) => [backendOf(piece), piece]));
  const pieces = piecesOf(desired).map((piece) => {
    const backend = backendOf(piece);
    return backend !== undefined && namespaces.has(namespaceIn(backend))
      ? (before.get(backend) ?? piece)
      : piece;
  });
  return setOfPieces(pieces, { mode: desired.mode, others: othersOf(desired) });
}

const manyServers: Reason = { what: 'server-changed', reason: 'too many servers changed at once' };

function withReload(plan: ChangePlan): ChangePlan {
  return { ...plan, reload: [...plan.reload, manyServers] };
}

/**
 * Interleaves the groups: the first item of each, then the second of each. The order within a group stays, so an item waits for at most one more
 * item of another group than precede it in its own.
 */
export function interleave<T>(items: readonly T[], groupOf: (item: T) => string): readonly T[] {
  const groups = [...Map.groupBy(items, groupOf).values()];
  if (groups.length < 2) return items;
  const rounds = Math.max(...groups.map(({ length }) => length));
  return Array.from({ length: rounds }, (_, round) =>
    groups.flatMap((group) => group.slice(round, round + 1)),
  ).flat();
}

/** These take HAProxy a quarter of a second, which is how long a change in another namespace may wait. */
const MAX_SERVERS = 100;

type ChangePlan = Plan<RuntimeChange>;

/** Limits a plan to its first server changes. The next plan has the rest. */
function smallerStep(running: Rendered, plan: ChangePlan, limit = MAX_SERVERS): ChangePlan {
  const servers = plan.changes.filter((change) => change.kind === 'server');
  if (servers.length <= limit || piecesOf(running).length === 1) return plan;
  const changes = servers.slice(0, limit);
  const chosen = Map.groupBy(changes, ({ server }) => server.slice(0, server.indexOf('/')));
  const target = new Map(piecesOf(plan.running).map((piece) => [backendOf(piece), piece]));
  const pieces = piecesOf(running).map((piece) => {
    const changes = chosen.get(backendOf(piece) ?? '');
    const after = target.get(backendOf(piece));
    return changes === undefined || after === undefined ? piece : changedPiece(piece, after, changes);
  });
  const after = setOfPieces(pieces, { mode: running.mode, others: othersOf(running) });
  return { ...plan, changes, readsFiles: false, running: after };
}

function backendOf(piece: string): string | undefined {
  return /^\nbackend (\S+)/.exec(piece)?.[1];
}

/** A backend with only these changes applied: each server line is taken from one of the two versions. */
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
  const added = [...names.keys()].flatMap((name) => now.get(name) ?? []);
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return lines.toSpliced(last + 1, 0, ...added).join('\n');
}

function serverIn(line: string): string | undefined {
  return /^\s+server (\S+) /.exec(line)?.[1];
}
