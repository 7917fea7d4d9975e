/** How something is. Printers give it a shape or a colour, and always say the words. */
export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'unknown' | 'idle';

export interface StatusLabel {
  readonly tone: Tone;
  readonly words: string;
}

/**
 * `unit` stands where a column's name does not: `for `, ` sessions`. A `line` and a `note` begin a line of their own. An
 * `aside` is weaker on the page and the same on a terminal.
 */
export type Style = 'unit' | 'line' | 'note' | 'aside';

/** Words that stand beside other pieces, blanks included. */
export type Piece = string | StatusLabel | { readonly as: Style; readonly of: readonly Piece[] };

/** A part of a node, a check for example, with its state and what was found. */
export interface Detail {
  readonly name: string;
  readonly state: StatusLabel;
  readonly found: string;
  /** `for 3 h`; null where it is not known. */
  readonly age: string | null;
}

export interface Row {
  readonly name: readonly Piece[];
  /** What identifies it besides: its address. */
  readonly aside?: readonly Piece[];
  /** One for each further column. A row whose state matters has it as the first piece of a cell. */
  readonly cells: readonly (readonly Piece[])[];
  /** In the last column, where the table has one for them. */
  readonly details?: readonly Detail[];
}

export interface Table {
  readonly label: string;
  /** Their names, the first one being that of the rows' names, and the page's style for each. */
  readonly columns: Readonly<Record<string, string>>;
  /** What a line on a terminal begins with. */
  readonly lead: 'state' | 'name';
  readonly rows: readonly Row[];
  /** `187 that are up`: the page folds the table away behind it. */
  readonly folded?: string;
}

/** What a product says of a node in the list of all nodes. */
export interface NodeEntry {
  readonly address?: string | undefined;
  /** One for each of the product's columns. */
  readonly cells: readonly (readonly Piece[])[];
  /** The configurations that it runs on. */
  readonly configurations: readonly Piece[];
  readonly details?: readonly Detail[];
}

export interface Fact {
  readonly name: string;
  readonly state?: StatusLabel;
  readonly text?: string;
  /** What a program printed, on many lines; a terminal does without. */
  readonly output?: string;
}

export interface Part {
  /** Where a section has several: `VIP`, `10.0.0.100`, `Kubernetes API`. */
  readonly title?: { readonly noun: string; readonly name: string; readonly aside: string };
  /** In one label, and since when. */
  readonly summary?: StatusLabel;
  readonly age?: string | null;
  readonly tables?: readonly Table[];
  readonly facts?: readonly Fact[];
}

/** What is known of one thing, for people: in words, but without a layout. */
export interface Section {
  readonly id: string;
  readonly title: string;
  /** Where the page has it, if there is room for two columns. */
  readonly place: 'left' | 'right' | 'wide';
  readonly parts: readonly Part[];
}

export function statusLabel(tone: Tone, words: string): StatusLabel {
  return { tone, words };
}

export function styled(as: Style, ...of: readonly Piece[]): Piece {
  return { as, of };
}

/** As a terminal has it. */
export function wordsOf(pieces: readonly Piece[]): string {
  return joined(pieces).replace(/^; /, '').replaceAll(' ; ', '; ').trim();
}

function joined(pieces: readonly Piece[]): string {
  const all = pieces.map((piece) => {
    if (typeof piece === 'string') return piece;
    return isLabel(piece) ? piece.words : `${isLine(piece) ? '; ' : ''}${joined(piece.of)}`;
  });
  return all.join('');
}

function isLine(piece: Piece): boolean {
  return typeof piece === 'object' && 'as' in piece && (piece.as === 'line' || piece.as === 'note');
}

export function isLabel(piece: Piece | undefined): piece is StatusLabel {
  return typeof piece === 'object' && 'tone' in piece;
}

/** `cp-1`, `cp-1 and cp-2`, `cp-1, cp-2 and cp-3`. */
export function listText(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** As much of a hash as people compare. */
export function shortHash(sha256: string): string {
  return sha256.slice(0, 8);
}

/** `haproxy.cfg 3f2a3f2a`; empty without a hash. */
export function hashLines(name: string, sha256: string | undefined): readonly Piece[] {
  if (sha256 === undefined) return [];
  return [styled('line', styled('aside', `${name} `), shortHash(sha256))];
}
