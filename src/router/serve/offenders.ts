import { backendsByLine } from '../../haproxy/text/config-text.ts';
import type { RouteBackend } from '../model.ts';
import { allowlistFileName, caFileName, certificateFileName } from '../render/file-names.ts';

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
