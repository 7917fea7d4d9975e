import type { CheckOutcome } from '../../engine/config/check.ts';
import { backendsByLine } from '../../haproxy/text/config-text.ts';
import type { RouteBackend } from '../model.ts';
import { allowlistFileName, caFileName, certificateFileName } from '../render/file-names.ts';

/** By key, what HAProxy said of a refused route. Undefined: it refused this route, or another one of the same trial. */
export type Words = ReadonlyMap<string, string | undefined>;

/** How other configurations are validated. */
export interface Trial {
  /** HAProxy's verdict on these routes, and the main file that it read. */
  readonly tryOut: (backends: Routes, signal: AbortSignal) => Promise<Verdict>;
  /** The text of the template with which they are rendered. */
  readonly template: () => string | undefined;
}

interface Verdict {
  readonly outcome: CheckOutcome;
  readonly text: string;
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
  const whole: Routes[] = [suspects];
  const parts: Routes[] = [];
  let accepted = base;
  let isBaseGood = false;
  for (let checks = 0; checks < mostChecks && !signal.aborted; checks += 1) {
    const group = whole.shift() ?? parts.shift();
    if (group === undefined) break;
    const together = [...accepted, ...group];
    const { outcome, text } = await trial.tryOut(together, signal);
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
    isBaseGood ||= (await trial.tryOut(base, signal)).outcome.kind === 'valid';
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

/** Longest error text in a tenant's status. */
const MOST_CHARACTERS = 400;

/** The line in `[/etc/haproxy/haproxy.cfg.candidate:123]`, before any quoted text. */
const PLACE = /^\[ALERT\][^'"]*?\[[^\]'"\n]*:(\d{1,9})\]/;

/** Names of backends and files. */
const NAMES =
  /\b(?:be_(?:http|edge_http|secure|tcp):[\w.-]+:[\w.-]*\w|(?:certs|cacerts|allowlists)\/[\w.-]*\w)/g;

/**
 * The routes that HAProxy's errors about a refused configuration concern, by key, each with those errors. An error that starts with a line of a
 * route's backend concerns that route alone, whatever names follow: HAProxy quotes the tenant's text. Any other error concerns the routes whose
 * backends or files it names. Empty if its errors name none. An error that names several routes is shown to none of them: they may be in
 * different namespaces. `text` is the main file that was refused.
 */
export function offendersIn(
  detail: string,
  text: string,
  backends: readonly RouteBackend[],
): ReadonlyMap<string, string> {
  const namesOf = ({ name, key }: RouteBackend) =>
    [name, certificateFileName(key), caFileName(key), allowlistFileName(key)].map(
      (each) => [each, key] as const,
    );
  const keyOf = new Map(backends.flatMap(namesOf));
  const backendAt = backendsByLine(text);
  const found = new Map<string, string>();
  for (const message of messagesIn(detail)) {
    const [, line] = PLACE.exec(message) ?? [];
    const placed = keyOf.get(backendAt(line === undefined ? undefined : Number(line)) ?? '');
    const named = (message.match(NAMES) ?? []).flatMap((name) => keyOf.get(name) ?? []);
    const keys = new Set(placed === undefined ? named : [placed]);
    for (const key of keys) if (!found.has(key)) found.set(key, keys.size > 1 ? '' : wordsOf(message));
  }
  return found;
}

/** HAProxy's first error about a configuration, without its location. */
export function firstWords(detail: string): string {
  const [message = ''] = messagesIn(detail);
  return wordsOf(message);
}

/** Warnings are left out: HAProxy accepts the configuration. Continuation lines are indented. */
function messagesIn(detail: string): readonly string[] {
  return detail.split(/\n(?=\S)/).filter((message) => message.startsWith('[ALERT]'));
}

/** `[ALERT]    (12) : config : parsing [/etc/haproxy.cfg:3] : unknown keyword …` */
function wordsOf(message: string): string {
  const words = message.replace(
    /^\[ALERT\][^:]*:\s*(?:config\s*:\s*)?(?:parsing )?(?:\[[^\]\n]*:\d+\]\s*:\s*)?/,
    '',
  );
  return words.replaceAll(/\s+/g, ' ').trim().slice(0, MOST_CHARACTERS);
}
