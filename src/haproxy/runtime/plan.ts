import type { RuntimeChange, ServerChange, WantedServer } from './change.ts';
import type { Description } from './description.ts';

/**
 * What needs a reload. `conditions`: parts of a file depend on conditions, so that it was not compared. `files-changed`: the files that the main
 * one names.
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
 * The changes from what runs to what is wanted. No reload is needed if servers are only added, removed, moved or reweighted. Compares each
 * server once.
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

/** What each server should be. */
export function wantedServers({ servers }: Description): ReadonlyMap<string, WantedServer> {
  return new Map(
    [...servers].map(([name, { address, port, weight, options, isUnchecked, cookieKey }]) => [
      name,
      {
        ...{ address, port, weight, options },
        ...(isUnchecked && { isUnchecked }),
        ...(cookieKey !== undefined && { cookieKey }),
      },
    ]),
  );
}

export function changeTo([server, wanted]: readonly [string, WantedServer | null]): ServerChange {
  return { kind: 'server', server, wanted };
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

/** The address, the weight and the state of the checks can change at runtime. */
function differentServer(running: Description, wanted: Description): Reload | undefined {
  for (const [name, now] of wanted.servers) {
    const before = running.servers.get(name);
    if (before !== undefined && before.options !== now.options)
      return reload('server-changed', `the options of server "${name}" differ`);
  }
  return undefined;
}

function isSame(one: WantedServer | undefined, other: WantedServer): boolean {
  return (
    one !== undefined &&
    one.address === other.address &&
    one.port === other.port &&
    one.weight === other.weight &&
    one.isUnchecked === other.isUnchecked
  );
}
