import type { CheckOutcome } from '../../engine/config/check.ts';
import { backendsByLine } from '../../haproxy/text/config-text.ts';
import type { RouteBackend } from '../model.ts';
import { allowlistFileName, caFileName, certificateFileName } from '../render/file-names.ts';

/** HAProxy's errors about refused routes, by key. Undefined: HAProxy refused this route or another one in the same trial. */
export type RefusalMessages = ReadonlyMap<string, string | undefined>;

/** Validates other sets of routes than the current one. */
export interface Trial {
  /** HAProxy's verdict on these routes, and the main file that it read. */
  readonly validate: (backends: Routes, signal: AbortSignal) => Promise<Verdict>;
  /** The template's text with which they are rendered. */
  readonly template: () => string | undefined;
}

interface Verdict {
  readonly outcome: CheckOutcome;
  readonly text: string;
}

type Routes = readonly RouteBackend[];

/**
 * Finds the suspects that HAProxy refuses together with the base, each with HAProxy's error. The error is '' if it also names other tenants, and
 * undefined if `maxChecks` validations did not suffice. All suspects are validated first, since the earlier refusal may have been due to a lack of
 * memory. Routes that HAProxy's errors name are set aside. If they name none, each half is validated, split by namespace first, so that bad routes
 * in one namespace cost the others few validations. Of two conflicting routes, the later one is refused. `onAccepted` is called for each accepted
 * group. Returns undefined if no route is to blame: HAProxy refuses the base alone, or a validation could not run.
 */
export async function findRefused(
  base: Routes,
  suspects: Routes,
  trial: Trial,
  maxChecks: number,
  signal: AbortSignal,
  onAccepted: (routes: Routes) => void = () => undefined,
): Promise<RefusalMessages | undefined> {
  const messages = new Map<string, string | undefined>(suspects.map(({ key }) => [key, undefined]));
  /** Groups of whole namespaces, and parts of a single namespace, which are validated last. */
  const whole: Routes[] = [suspects];
  const parts: Routes[] = [];
  let accepted = base;
  let isBaseValid = false;
  for (let checks = 0; checks < maxChecks && !signal.aborted; checks += 1) {
    const group = whole.shift() ?? parts.shift();
    if (group === undefined) break;
    const together = [...accepted, ...group];
    const { outcome, text } = await trial.validate(together, signal);
    if (outcome.kind === 'impossible') return isBaseValid ? messages : undefined;
    if (outcome.kind === 'valid') {
      [accepted, isBaseValid] = [together, true];
      for (const { key } of group) messages.delete(key);
      onAccepted(group);
      continue;
    }
    const { detail } = outcome;
    const named = offendersIn(detail, text, together);
    if (group.some(({ key }) => named.has(key))) {
      for (const { key } of group) if (named.has(key)) messages.set(key, named.get(key));
      const { others, neighbours } = remainingSuspects(group, named, detail);
      if (others.length > 0) whole.unshift(others);
      if (neighbours.length > 0) whole.push(neighbours);
      continue;
    }
    isBaseValid ||= (await trial.validate(base, signal)).outcome.kind === 'valid';
    if (!isBaseValid) return undefined;
    const namespaces = [...Map.groupBy(group, namespaceOf).values()];
    if (namespaces.length > 1) whole.unshift(...halves(namespaces).map((half) => half.flat()));
    else if (group.length > 1) parts.unshift(...halves(group));
    else for (const { key } of group) messages.set(key, firstError(detail));
  }
  return messages;
}

/**
 * The suspects that HAProxy's errors do not name. HAProxy stops after 50 errors, so other routes of the named namespaces may be the next ones:
 * these `neighbours` are kept apart, so that other namespaces do not wait for them.
 */
export function remainingSuspects(suspects: Routes, named: ReadonlyMap<string, unknown>, detail: string) {
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

/** Limits an error in a tenant's status. */
const MAX_CHARACTERS = 400;

/** The line in `[/etc/haproxy/haproxy.cfg.candidate:123]`, before any quoted text. */
const PLACE = /^\[ALERT\][^'"]*?\[[^\]'"\n]*:(\d{1,9})\]/;

/** Names of the routes' backends and files, but not within another name, such as that of a server. */
const NAMES =
  /(?<![\w:.-])(?:be_(?:http|edge_http|secure|tcp):[\w.-]+:[\w.-]*\w|(?:certs|cacerts|allowlists)\/[\w.-]*\w)/g;

/**
 * The routes that HAProxy's errors about a refused configuration are about, by key, each with its error. Empty if the errors name no route. An error
 * with a line number in a route's backend is about that route alone, whatever names follow, since HAProxy quotes the tenant's text. Any other error
 * is about the routes whose backends or files it names. If these are several, the error is replaced by '', since they may belong to different
 * tenants. `text` is the refused main file.
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
    for (const key of keys)
      if (!found.has(key)) found.set(key, keys.size > 1 ? '' : withoutLocation(message));
  }
  return found;
}

/** HAProxy's first error about a configuration, without its location; '' if there is none. */
export function firstError(detail: string): string {
  const [message = ''] = messagesIn(detail);
  return withoutLocation(message);
}

/** Splits the output into errors, without warnings, with which HAProxy accepts a configuration. Continuation lines are indented. */
function messagesIn(detail: string): readonly string[] {
  return detail.split(/\n(?=\S)/).filter((message) => message.startsWith('[ALERT]'));
}

/** `[ALERT]    (12) : config : parsing [/etc/haproxy.cfg:3] : unknown keyword …` */
function withoutLocation(message: string): string {
  const text = message.replace(
    /^\[ALERT\][^:]*:\s*(?:config\s*:\s*)?(?:parsing )?(?:\[[^\]\n]*:\d+\]\s*:\s*)?/,
    '',
  );
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_CHARACTERS);
}
