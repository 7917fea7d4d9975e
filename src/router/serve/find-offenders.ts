import { join } from 'node:path';
import type { CheckOutcome, ConfigurationCheck } from '../../engine/config/check.ts';
import type { Rendered } from '../../engine/config/set.ts';
import { codeOf, messageOf } from '../../engine/system/errors.ts';
import type { RouteBackend } from '../model.ts';
import { openTrialFolder } from '../render/trial-folder.ts';
import { MAIN_FILE, writeTrial } from '../render/write-out.ts';
import { firstWords, offendersIn } from './offenders.ts';
import { sift } from './sift.ts';

/** How other configurations are tried. */
export interface Trial {
  readonly check: ConfigurationCheck;
  /** Undefined where these backends cannot be rendered. */
  readonly render: (backends: readonly RouteBackend[]) => Promise<Rendered | undefined>;
  /** The text of the template with which they are rendered. */
  readonly template: () => string | undefined;
}

export interface Offenders {
  readonly taken: readonly RouteBackend[];
  /** By key, each with HAProxy's words, '' where there are none for its tenant; undefined if it may be another of them. */
  readonly words: ReadonlyMap<string, string | undefined>;
}

/** HAProxy names up to fifty a time. */
const MOST_NAMING_CHECKS = 8;

/**
 * Which of the suspects HAProxy refuses together with the base. All are validated first, since an earlier refusal may have been for want of
 * memory. Routes that its errors name are set aside and the others are validated, until HAProxy accepts them or its errors name none. Only then
 * are they searched, with at most `mostChecks` validations. So the many bad routes of one tenant cost other tenants' routes as many validations
 * as a single bad one. A suspect that is neither taken nor in `words` was not tried. Undefined if no route can be blamed: HAProxy refuses the
 * base alone, or a validation could not run.
 */
export async function findOffenders(
  base: readonly RouteBackend[],
  suspects: readonly RouteBackend[],
  trial: Trial,
  mostChecks: number,
  signal: AbortSignal,
): Promise<Offenders | undefined> {
  const words = new Map<string, string | undefined>();
  const look = (some: readonly RouteBackend[]) => tryOut([...base, ...some], trial, signal);
  let rest = suspects;
  for (let checks = 0; checks < MOST_NAMING_CHECKS; checks += 1) {
    const { outcome, text } = await look(rest);
    if (outcome.kind === 'valid') return { taken: rest, words };
    if (outcome.kind === 'impossible') break;
    const named = offendersIn(outcome.detail, text, [...base, ...rest]);
    if (named.size === 0) {
      if ((await look([])).outcome.kind !== 'valid') break;
      const check = async (some: readonly RouteBackend[]) => (await look(some)).outcome;
      const found = await siftFairly(rest, outcome.detail, check, mostChecks);
      return { taken: found.taken, words: new Map([...words, ...found.words]) };
    }
    for (const [key, said] of named) words.set(key, said);
    const others = withoutNeighbours(rest, named, outcome.detail);
    rest = others.length > 0 ? others : rest.filter(({ key }) => !named.has(key));
    if (rest.length === 0) break;
  }
  return words.size > 0 ? { taken: [], words } : undefined;
}

/**
 * Without those that are named, and without all of their namespaces where HAProxy has stopped at its fiftieth error: these may be next, fifty at a
 * time, and must not keep other namespaces waiting for as many checks.
 */
export function withoutNeighbours(
  suspects: readonly RouteBackend[],
  named: ReadonlyMap<string, unknown>,
  detail: string,
): readonly RouteBackend[] {
  if (!/too many fatal errors/.test(detail)) return suspects.filter(({ key }) => !named.has(key));
  const namespaces = new Set([...named.keys()].map(namespaceOf));
  return suspects.filter(({ key }) => !namespaces.has(namespaceOf(key)));
}

const namespaceOf = (key: string): string => key.slice(0, key.indexOf(':'));

/** Namespaces first, then the routes of the refused namespaces. */
async function siftFairly(
  suspects: readonly RouteBackend[],
  detail: string,
  check: (some: readonly RouteBackend[]) => Promise<CheckOutcome>,
  mostChecks: number,
): Promise<Offenders> {
  const groups = [...Map.groupBy(suspects, ({ key }) => namespaceOf(key)).values()];
  let left = mostChecks;
  const counted = async (some: readonly RouteBackend[]) => {
    left -= 1;
    return await check(some);
  };
  const found = await sift(groups, detail, (some) => counted(some.flat()), mostChecks);
  const taken = found.taken.flat();
  const words = new Map(
    found.open.flat().map(({ key }): readonly [string, string | undefined] => [key, undefined]),
  );
  for (const [group, said] of found.refused) {
    const cleared = [...taken];
    const inside = await sift(group, said, (some) => counted([...cleared, ...some]), left);
    taken.push(...inside.taken);
    for (const { key } of inside.open) words.set(key, undefined);
    for (const [{ key }, its] of inside.refused) words.set(key, firstWords(its));
  }
  return { taken, words };
}

/** Whether HAProxy refuses them. False if that could not be tried. */
export async function areRefused(
  backends: readonly RouteBackend[],
  trial: Trial,
  signal: AbortSignal,
): Promise<boolean> {
  return (await tryOut(backends, trial, signal)).outcome.kind === 'invalid';
}

/** Never rejects but for a bug: where there is no room for the files, nothing is known of them. */
async function tryOut(
  backends: readonly RouteBackend[],
  { check, render }: Trial,
  signal: AbortSignal,
): Promise<{ readonly outcome: CheckOutcome; readonly text: string }> {
  const rendered = await render(backends.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
  if (rendered === undefined) return { outcome: { kind: 'impossible', message: 'not rendered' }, text: '' };
  try {
    await using folder = await openTrialFolder();
    await writeTrial(folder.path, rendered);
    return { outcome: await check(join(folder.path, MAIN_FILE), signal), text: rendered.text };
  } catch (error) {
    if (!signal.aborted && codeOf(error) === undefined) throw error;
    return { outcome: { kind: 'impossible', message: messageOf(error) }, text: '' };
  }
}
