import type { CheckOutcome, ConfigurationCheck } from '../../engine/config/check.ts';
import type { Rendered } from '../../engine/config/set.ts';
import type { RouteBackend } from '../model.ts';
import { checkTrial } from '../render/write-out.ts';
import { firstWords, offendersIn } from './offenders.ts';

/** By key, what HAProxy said of a refused route. Undefined: it refused this route, or another one of the same trial. */
export type Words = ReadonlyMap<string, string | undefined>;

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
  /** Groups of whole namespaces, and parts of one, which come after all of those. */
  const [whole, parts]: [Routes[], Routes[]] = [[suspects], []];
  let [accepted, isBaseGood] = [base, false];
  for (let checks = 0; checks < mostChecks && !signal.aborted; checks += 1) {
    const group = whole.shift() ?? parts.shift();
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
    const { detail } = outcome;
    const named = offendersIn(detail, text, together);
    if (group.some(({ key }) => named.has(key))) {
      for (const { key } of group) if (named.has(key)) words.set(key, named.get(key));
      const { others, neighbours } = withoutNamed(group, named, detail);
      if (others.length > 0) whole.unshift(others);
      if (neighbours.length > 0) whole.push(neighbours);
      continue;
    }
    isBaseGood ||= (await tryOut(base, trial, signal)).outcome.kind === 'valid';
    if (!isBaseGood) return undefined;
    const namespaces = [...Map.groupBy(group, namespaceOf).values()];
    if (namespaces.length > 1) whole.unshift(...halves(namespaces).map((half) => half.flat()));
    else if (group.length > 1) parts.unshift(...halves(group));
    else for (const { key } of group) words.set(key, firstWords(detail));
  }
  return words;
}

/**
 * HAProxy stops at its fiftieth error: the other routes of the named namespaces may be next, fifty at a time, and must not keep other namespaces
 * waiting.
 */
export function withoutNamed(suspects: Routes, named: ReadonlyMap<string, unknown>, detail: string) {
  const rest = suspects.filter(({ key }) => !named.has(key));
  if (!/too many fatal errors/.test(detail)) return { others: rest, neighbours: [] };
  const namespaces = new Set(suspects.filter(({ key }) => named.has(key)).map(namespaceOf));
  const { others = [], neighbours = [] } = Object.groupBy(rest, (each) =>
    namespaces.has(namespaceOf(each)) ? 'neighbours' : 'others',
  );
  return { others, neighbours };
}

function namespaceOf({ key }: RouteBackend): string {
  return key.slice(0, key.indexOf(':'));
}

function halves<T>(items: readonly T[]): readonly (readonly T[])[] {
  const middle = Math.floor(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)];
}

/** HAProxy's verdict on these routes, and the main file that it read. */
export async function tryOut(backends: Routes, { check, render }: Trial, signal: AbortSignal) {
  const rendered = await render(backends.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
  const outcome: CheckOutcome =
    rendered === undefined
      ? { kind: 'impossible', message: 'not rendered' }
      : await checkTrial(rendered, check, signal);
  return { outcome, text: rendered?.text ?? '' };
}
