import type { DesiredServer, ServerChange } from './change.ts';
import { backendOf, type Description } from './describe-configuration.ts';

/**
 * Why a reload is needed. `conditions`: parts of a file depend on conditions, so it was not compared. `files-changed`: a file that the main file
 * names has changed.
 */
export const reloadCauses = [
  'section-added',
  'section-removed',
  'section-changed',
  'server-changed',
  'conditions',
  'files-changed',
] as const;

export interface Reason {
  readonly what: (typeof reloadCauses)[number];
  /** Completes the sentence "HAProxy reloads, because …". */
  readonly reason: string;
}

/** Stands for everything except backends. */
const REST = '';

interface ServerPlan {
  readonly changes: readonly ServerChange[];
  /** Keyed by backend or `REST`. `changes` has no changes for these. */
  readonly reload: ReadonlyMap<string, Reason>;
}

/**
 * The changes from the running configuration to the desired one. A backend needs no reload if its servers are only added, removed, moved or
 * reweighted. If `defaults` differ, no server is changed, because they may contain server options.
 */
export function planServers(running: Description, desired: Description): ServerPlan {
  const backends = new Set(
    [...running.sections.keys(), ...desired.sections.keys()]
      .map(backendOrRest)
      .filter((name) => name !== REST),
  );
  const partOf = (server: string): string => (backends.has(backendOf(server)) ? backendOf(server) : REST);
  const reload = new Map<string, Reason>();
  const add = (part: string, reason: Reason): void => {
    if (!reload.has(part)) reload.set(part, reason);
  };
  for (const [title, reason] of differentSections(running, desired)) add(backendOrRest(title), reason);
  for (const [name, reason] of differentServers(running, desired)) add(partOf(name), reason);
  const areChangeable = isSameDefaults(running, desired);
  const changes = serverChanges(running, desired).filter(
    ({ server }) => areChangeable && !reload.has(partOf(server)),
  );
  return { changes, reload };
}

function serverChanges(running: Description, desired: Description): readonly ServerChange[] {
  const before = running.servers;
  const after = desired.servers;
  return [
    // Additions first: a backend must not be empty in between.
    ...[...after].filter(([server, now]) => !isSame(before.get(server), now)).map(changeTo),
    ...[...before.keys()].filter((server) => !after.has(server)).map((server) => changeTo([server, null])),
  ];
}

/** Reads the name from a section's title, `backend masters`. */
function backendOrRest(title: string): string {
  const [kind, name = REST] = title.split(' ');
  return kind === 'backend' ? name : REST;
}

export function changeTo([server, wanted]: readonly [string, DesiredServer | null]): ServerChange {
  return { kind: 'server', server, wanted };
}

function* differentSections(running: Description, desired: Description): Generator<[string, Reason], void> {
  for (const [title, text] of desired.sections) {
    const before = running.sections.get(title);
    if (before === undefined) yield [title, { what: 'section-added', reason: `"${title}" is new` }];
    else if (before !== text)
      yield [title, { what: 'section-changed', reason: `"${title}" differs, not only in its servers` }];
  }
  for (const title of running.sections.keys())
    if (!desired.sections.has(title))
      yield [title, { what: 'section-removed', reason: `"${title}" is gone` }];
}

/** Address, weight and the state of checks can change at runtime; options cannot. */
function* differentServers(running: Description, desired: Description): Generator<[string, Reason], void> {
  for (const [name, now] of desired.servers) {
    const before = running.servers.get(name);
    const reason = `the options of server "${name}" differ`;
    if (before !== undefined && before.options !== now.options)
      yield [name, { what: 'server-changed', reason }];
  }
}

function isSameDefaults(running: Description, desired: Description): boolean {
  const defaultsOf = ({ sections }: Description): string =>
    JSON.stringify([...sections].filter(([title]) => title.startsWith('defaults')));
  return defaultsOf(running) === defaultsOf(desired);
}

function isSame(one: DesiredServer | undefined, other: DesiredServer): boolean {
  return (
    one !== undefined &&
    one.address === other.address &&
    one.port === other.port &&
    one.weight === other.weight &&
    one.healthChecks === other.healthChecks
  );
}
