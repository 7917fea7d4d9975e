import { join } from 'node:path';
import type { CheckOutcome, ConfigurationCheck } from '../../engine/config/check.ts';
import type { Rendered } from '../../engine/config/set.ts';
import { codeOf, messageOf } from '../../engine/system/errors.ts';
import type { RouteBackend } from '../model.ts';
import { MAIN_FILE, openTrialFolder, writeTrial } from '../render/write-out.ts';
import type { Words } from './left-out-routes.ts';
import { firstWords, offendersIn } from './offenders.ts';

/** How other configurations are validated. */
export interface Trial {
  readonly check: ConfigurationCheck;
  /** Undefined if these backends cannot be rendered. */
  readonly render: (backends: readonly RouteBackend[]) => Promise<Rendered | undefined>;
  /** The text of the template with which they are rendered. */
  readonly template: () => string | undefined;
}

type Routes = readonly RouteBackend[];

/**
 * Which of the suspects HAProxy refuses together with the base, with HAProxy's words; '' if they name other tenants, undefined if more than
 * `mostChecks` validations would be necessary. All are validated first, since an earlier refusal may have been for want of memory. Routes that
 * HAProxy's words name are set aside. If they name none, each half is validated: whole namespaces first, so that the bad routes of one cost the
 * others few validations. Of two conflicting routes, the later one is refused. `onAccepted` is called as soon as some are accepted. Undefined
 * if no route can be blamed: HAProxy refuses the base alone, or a validation could not run.
 */
export async function findRefused(
  base: Routes,
  suspects: Routes,
  trial: Trial,
  mostChecks: number,
  signal: AbortSignal,
  onAccepted: (routes: Routes) => void = () => undefined,
): Promise<Words | undefined> {
  const words = new Map<string, string | undefined>(suspects.map(({ key }) => [key, undefined]));
  const queue = createQueue(suspects);
  let [accepted, isBaseGood] = [base, false];
  for (let checks = 0; checks < mostChecks && !signal.aborted; checks += 1) {
    const group = queue.next();
    if (group === undefined) break;
    const together = [...accepted, ...group];
    const { outcome, text } = await tryOut(together, trial, signal);
    if (outcome.kind === 'impossible') return isBaseGood ? words : undefined;
    if (outcome.kind === 'valid') {
      [accepted, isBaseGood] = [together, true];
      for (const { key } of group) words.delete(key);
      onAccepted(group);
      continue;
    }
    const named = offendersIn(outcome.detail, text, together);
    const bad = group.filter(({ key }) => named.has(key));
    for (const { key } of bad) words.set(key, named.get(key));
    if (bad.length > 0) {
      queue.without(group, named, outcome.detail);
      continue;
    }
    isBaseGood ||= (await tryOut(base, trial, signal)).outcome.kind === 'valid';
    if (!isBaseGood) return undefined;
    const [first] = group;
    if (first !== undefined && group.length === 1) words.set(first.key, firstWords(outcome.detail));
    else queue.divide(group);
  }
  return words;
}

/** Whole namespaces are validated before parts of one. */
function createQueue(suspects: Routes) {
  const [whole, parts]: [Routes[], Routes[]] = [[suspects], []];
  return {
    next: () => whole.shift() ?? parts.shift(),
    without: (group: Routes, named: ReadonlyMap<string, unknown>, detail: string): void => {
      const { others, neighbours } = withoutNamed(group, named, detail);
      if (others.length > 0) whole.unshift(others);
      if (neighbours.length > 0) whole.push(neighbours);
    },
    divide: (group: Routes): void => {
      const namespaces = [...Map.groupBy(group, namespaceOf).values()];
      if (namespaces.length > 1) whole.unshift(...halves(namespaces).map((half) => half.flat()));
      else parts.unshift(...halves(group));
    },
  };
}

/**
 * HAProxy stops at its fiftieth error: the other routes of the named namespaces may be next, fifty at a time, and must not keep other namespaces
 * waiting.
 */
export function withoutNamed(suspects: Routes, named: ReadonlyMap<string, unknown>, detail: string) {
  const rest = suspects.filter(({ key }) => !named.has(key));
  if (!/too many fatal errors/.test(detail)) return { others: rest, neighbours: [] };
  const namespaces = new Set(suspects.filter(({ key }) => named.has(key)).map(namespaceOf));
  const isNear = (each: RouteBackend): boolean => namespaces.has(namespaceOf(each));
  return { others: rest.filter((each) => !isNear(each)), neighbours: rest.filter(isNear) };
}

function namespaceOf({ key }: RouteBackend): string {
  return key.slice(0, key.indexOf(':'));
}

function halves<T>(items: readonly T[]): readonly (readonly T[])[] {
  const middle = Math.floor(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)];
}

/** Whether HAProxy refuses them. False if that could not be validated. */
export async function areRefused(backends: Routes, trial: Trial, signal: AbortSignal): Promise<boolean> {
  return (await tryOut(backends, trial, signal)).outcome.kind === 'invalid';
}

/** Never rejects but for a bug: without room for the files there is no verdict. */
async function tryOut(
  backends: Routes,
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
