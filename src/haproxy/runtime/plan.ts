import type { RuntimeChange, ServerChange, WantedServer } from './change.ts';
import { backendOf, type Description, type ServerDescription } from './description.ts';

/**
 * What a running HAProxy cannot be told. `conditions`: parts of a file depend on them, so that it was not compared. `files-changed`: of
 * the files that the main one names.
 */
export const reloadCauses = [
  'section-added',
  'section-removed',
  'section-changed',
  'server-changed',
  'conditions',
  'files-changed',
] as const;

export interface Reload {
  readonly kind: 'reload';
  readonly what: (typeof reloadCauses)[number];
  /** Ends a sentence: HAProxy reloads, since … */
  readonly reason: string;
}

export type Plan =
  | { readonly kind: 'nothing' }
  | {
      readonly kind: 'runtime';
      readonly changes: readonly RuntimeChange[];
      /** Some of them are read in the files of the set. */
      readonly readsFiles?: true;
    }
  | Reload;

/**
 * How to come from what runs to what is wanted: without a reload where only servers come, go, move or change their weight. Looks at
 * each server once.
 */
export function plan(running: Description, wanted: Description): Plan {
  const reload = differentSection(running, wanted) ?? differentServer(running, wanted);
  if (reload !== undefined) return reload;
  const before = wantedServers(running);
  const after = wantedServers(wanted);
  const changes = [
    // First those that come: a backend is not to be empty in between.
    ...[...after].filter(([server, now]) => !isSame(before.get(server), now)).map(changeTo),
    ...[...before.keys()].filter((server) => !after.has(server)).map((server) => changeTo([server, null])),
  ];
  return changes.length === 0 ? { kind: 'nothing' } : { kind: 'runtime', changes };
}

/** What each server for clients should be: those that are only there to be tracked are told with the one that tracks them. */
export function wantedServers({ servers }: Description): ReadonlyMap<string, WantedServer> {
  const tracked = trackedIn(servers);
  const wanted = new Map<string, WantedServer>();
  for (const [name, { address, port, weight, options, tracks, isSpare, isUnchecked, cookieKey }] of servers) {
    if (isSpare || tracked.has(name)) continue;
    const checked = tracks === undefined ? undefined : servers.get(tracks);
    wanted.set(name, {
      ...{ address, port, weight, options },
      ...(isUnchecked && { isUnchecked }),
      ...(cookieKey !== undefined && { cookieKey }),
      ...(tracks !== undefined &&
        checked && { checked: { server: tracks, address: checked.address, port: checked.port } }),
    });
  }
  return wanted;
}

export function changeTo([server, wanted]: readonly [string, WantedServer | null]): ServerChange {
  return { kind: 'server', server, wanted };
}

function trackedIn(servers: Description['servers']): ReadonlySet<string> {
  return new Set([...servers.values()].flatMap(({ tracks }) => tracks ?? []));
}

function differentSection(running: Description, wanted: Description): Reload | undefined {
  for (const [title, text] of wanted.sections) {
    const before = running.sections.get(title);
    if (before === undefined) return reload('section-added', `"${title}" is new`);
    if (before !== text) return reload('section-changed', `"${title}" differs, not only in its servers`);
  }
  const gone = [...running.sections.keys()].find((title) => !wanted.sections.has(title));
  return gone === undefined ? undefined : reload('section-removed', `"${gone}" is gone`);
}

function reload(what: Reload['what'], reason: string): Reload {
  return { kind: 'reload', what, reason };
}

function differentServer(running: Description, wanted: Description): Reload | undefined {
  const [trackedBefore, trackedNow] = [trackedIn(running.servers), trackedIn(wanted.servers)];
  for (const [name, now] of wanted.servers) {
    const before = running.servers.get(name);
    if (before === undefined) {
      if (!isReplaceable(name, now, trackedNow.has(name), wanted))
        return reload('server-changed', `server "${name}" is new, and no spare one is like it`);
    } else if (!isLike(before, now) || trackedBefore.has(name) !== trackedNow.has(name))
      return reload('server-changed', `the options of server "${name}" differ`);
  }
  for (const [name, before] of running.servers)
    if (!wanted.servers.has(name) && !isReplaceable(name, before, trackedBefore.has(name), running))
      return reload('server-changed', `server "${name}" is gone, and it is not like the spare ones`);
  return undefined;
}

/** All but its place, its weight and whether its checks are on, of which HAProxy can be told. */
function isLike(one: ServerDescription, other: ServerDescription): boolean {
  return one.options === other.options && one.tracks === other.tracks && one.isSpare === other.isSpare;
}

/** Whether it can come or go: a tracked server only where a spare one can do its work, or it can be a spare one later. */
function isReplaceable(
  name: string,
  server: ServerDescription,
  isTracked: boolean,
  all: Description,
): boolean {
  if (server.isSpare) return false;
  if (!isTracked) return true;
  const backend = backendOf(name);
  return [...all.servers].some(
    ([other, spare]) => spare.isSpare && backendOf(other) === backend && spare.options === server.options,
  );
}

function isSame(one: WantedServer | undefined, other: WantedServer): boolean {
  return (
    one !== undefined &&
    isSamePlace(one, other) &&
    one.weight === other.weight &&
    one.isUnchecked === other.isUnchecked &&
    (other.checked === undefined || (one.checked !== undefined && isSamePlace(one.checked, other.checked)))
  );
}

interface Place {
  readonly address: string;
  readonly port: number;
}

function isSamePlace(one: Place, other: Place): boolean {
  return one.address === other.address && one.port === other.port;
}
