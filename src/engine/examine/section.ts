import { ageText, countText, durationText } from '../system/text/readable-text.ts';

/** A state. Printers give it a shape or a colour, and always print the words. */
export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'unknown' | 'idle';

export interface StatusLabel {
  readonly tone: Tone;
  readonly words: string;
}

/**
 * `unit` labels a value whose column has no name: `for `, ` sessions`. A `line` and a `note` start a new line. An `aside` is muted on the page
 * and plain on a terminal.
 */
export type Style = 'unit' | 'line' | 'note' | 'aside';

/** Text next to other pieces, blanks included. */
export type Piece = string | StatusLabel | { readonly as: Style; readonly of: readonly Piece[] };

/** A part of a node, such as a check, with its state and finding. */
export interface Detail {
  readonly name: string;
  readonly state: StatusLabel;
  readonly message: string;
  /** `for 3 h`; null if unknown. */
  readonly age: string | null;
}

export interface Row {
  readonly name: readonly Piece[];
  /** Additional identification: its address. */
  readonly aside?: readonly Piece[];
  /** One for each further column. If a row's state matters, it is the first piece of a cell. */
  readonly cells: readonly (readonly Piece[])[];
  /** In the last column, if the table has one for them. */
  readonly details?: readonly Detail[];
}

export interface Table {
  readonly label: string;
  /** Column names, first that of the rows' names, and the page's style of each. */
  readonly columns: Readonly<Record<string, string>>;
  /** How a terminal line begins. */
  readonly lead: 'state' | 'name';
  readonly rows: readonly Row[];
  /** `187 that are up`: the summary behind which the page folds the table. */
  readonly folded?: string;
}

/** A product's entry for a node in the list of all nodes. */
export interface NodeEntry {
  readonly address?: string | undefined;
  /** One per column of the product. */
  readonly cells: readonly (readonly Piece[])[];
  /** The configurations it runs. */
  readonly configurations: readonly Piece[];
  readonly details?: readonly Detail[];
}

export interface Fact {
  readonly name: string;
  readonly state?: StatusLabel;
  readonly text?: string;
  /** A program's multi-line output; not printed on a terminal. */
  readonly output?: string;
}

export interface Part {
  /** Title, if a section has several parts: `VIP`, `10.0.0.100`, `Kubernetes API`. */
  readonly title?: { readonly noun: string; readonly name: string; readonly aside: string };
  /** One label, and since when. */
  readonly summary?: StatusLabel;
  readonly age?: string | null;
  readonly tables?: readonly Table[];
  readonly facts?: readonly Fact[];
}

/** A status section for people: words without a layout. */
export interface Section {
  readonly id: string;
  readonly title: string;
  /** Position on the page, if there is room for two columns. */
  readonly place: 'left' | 'right' | 'wide';
  readonly parts: readonly Part[];
}

export function statusLabel(tone: Tone, words: string): StatusLabel {
  return { tone, words };
}

export function styled(as: Style, ...of: readonly Piece[]): Piece {
  return { as, of };
}

/** Plain text, as on a terminal. */
export function wordsOf(pieces: readonly Piece[]): string {
  return joined(pieces).replace(/^; /, '').replaceAll(' ; ', '; ').trim();
}

function joined(pieces: readonly Piece[]): string {
  const all = pieces.map((piece) => {
    if (typeof piece === 'string') return piece;
    if (isLabel(piece)) return piece.words;
    const isLine = piece.as === 'line' || piece.as === 'note';
    return `${isLine ? '; ' : ''}${joined(piece.of)}`;
  });
  return all.join('');
}

export function isLabel(piece: Piece): piece is StatusLabel {
  return typeof piece === 'object' && 'tone' in piece;
}

/** `cp-1`, `cp-1 and cp-2`, `cp-1, cp-2 and cp-3`. */
export function listText(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** The part of a hash that people compare. */
export function shortHash(sha256: string): string {
  return sha256.slice(0, 8);
}

/** `example.cfg 3f2a3f2a`; empty without a hash. */
export function hashLines(name: string, sha256: string | undefined): readonly Piece[] {
  if (sha256 === undefined) return [];
  return [styled('line', styled('aside', `${name} `), shortHash(sha256))];
}

/** A supervisor's report of its failures. Times are milliseconds. */
export interface Failures {
  readonly restart: { readonly failures: number; readonly inMs: number } | null;
  readonly lastFailure: {
    readonly stage: string;
    readonly message: string;
    readonly detail?: string | undefined;
    readonly agoMs: number;
  } | null;
}

/** A monitor's report of its last change. */
export interface Change {
  readonly cause: string;
  readonly result: string;
  readonly message?: string | undefined;
  readonly agoMs: number;
}

export function failureFacts(supervisor: Failures | null): readonly Fact[] {
  const { restart = null, lastFailure = null } = supervisor ?? {};
  const facts: Fact[] = [];
  if (restart !== null) {
    const after = `after ${countText(restart.failures, 'failure')} in a row`;
    facts.push({ name: 'Restart', text: `in ${durationText(restart.inMs)}, ${after}` });
  }
  if (lastFailure !== null) {
    const { stage, message, detail, agoMs } = lastFailure;
    const text = `${ageText(agoMs)} ago at “${stage}”: ${message}`;
    facts.push({ name: 'Last failure', text, ...(detail !== undefined && { output: detail }) });
  }
  return facts;
}

export function isDone({ result }: Change): boolean {
  return result === 'unchanged' || result === 'reloaded' || result === 'superseded';
}

export function changeFacts(change: Change | null | undefined): readonly Fact[] {
  if (!change) return [];
  const { cause, result, message, agoMs } = change;
  const why = message === undefined ? '' : `: ${message}`;
  return [{ name: 'Last change', text: `${ageText(agoMs)} ago: ${cause}, ${result}${why}` }];
}
