/** The sections and servers in the text of a haproxy.cfg, as far as they can be found without HAProxy's grammar. */

import type { Rendered } from '../../engine/config/set.ts';
import { oncePer } from '../../engine/system/once-per.ts';

/** Start of a backend in configurations that hawser renders. */
const BACKEND = '\nbackend ';
/** Words that make one section depend on another. Searching for them first is faster. */
const REFERENCE_WORDS = ['track', '.if', '.endif'];
const REFERENCE = /^[ \t]*(?:(?:default-)?server\S*[ \t](?:.*[ \t])?track[ \t]|\.(?:if|endif)\b)/m;

/**
 * Splits a main file into a first piece and one piece per backend. Returns the whole text as one piece if a backend may depend on another one, or on
 * defaults after a backend.
 */
export const piecesOf: (main: Pick<Rendered, 'text' | 'pieces'>) => readonly string[] = oncePer(
  (main) => main.pieces ?? piecesIn(main.text),
);

function piecesIn(text: string): readonly string[] {
  const first = text.indexOf(BACKEND);
  if (first === -1 || text.indexOf('\ndefaults', first) !== -1) return [text];
  // A tenant's header may contain such a word without referring to anything.
  if (REFERENCE_WORDS.some((word) => text.includes(word)) && REFERENCE.test(text)) return [text];
  const pieces = [text.slice(0, first)];
  for (let at = first; at !== -1; ) {
    const next = text.indexOf(BACKEND, at + 1);
    pieces.push(next === -1 ? text.slice(at) : text.slice(at, next));
    at = next;
  }
  // HAProxy merges two backends of one name, or refuses them.
  return new Set(pieces.map(firstLine)).size === pieces.length ? pieces : [text];
}

const firstLine = (section: string): string => section.slice(1, section.indexOf('\n', 1));

/** The name of the backend at the start of a text, after any blank lines and comments. */
export function backendNameIn(text: string): string {
  return /^backend[ \t]+(\S+)/m.exec(text)?.[1] ?? '';
}

interface ServerLine {
  /** `backend/server`. */
  readonly server: string;
  readonly endpoint: string;
  /** The rest of the line, including any comment. */
  readonly options: string;
  /** The tracked server, as `backend/server`. */
  readonly tracks: string | undefined;
}

const SECTION_OR_SERVER = /^[ \t]*(?:(?:backend|listen)[ \t]+(\S+)|server[ \t]+(\S+)[ \t]+(\S+)([^\n]*))/gm;

export function* serverLines(text: string): Generator<ServerLine, void> {
  let backend = '';
  for (const [, section, name, endpoint = '', options = ''] of text.matchAll(SECTION_OR_SERVER)) {
    backend = section ?? backend;
    if (name === undefined) continue;
    const [, other] = /^[ \t](?:[^#]*[ \t])?track[ \t]+(\S+)/.exec(options) ?? [];
    const tracks = other === undefined || other.includes('/') ? other : `${backend}/${other}`;
    yield { server: `${backend}/${name}`, endpoint, options, tracks };
  }
}

/** Returns a function with the name of the backend that contains a line. */
export function backendsByLine(text: string): (line: number | undefined) => string | undefined {
  let lines: readonly string[] | undefined;
  return (line) => {
    lines ??= text.split('\n');
    if (line === undefined || line > lines.length) return undefined;
    const start = lines.slice(0, line).findLast((each) => /^[a-z]/.test(each));
    return /^backend (\S+)/.exec(start ?? '')?.[1];
  };
}
