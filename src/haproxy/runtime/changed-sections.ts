import type { Rendered } from '../../engine/config/set.ts';
import { changedSpan } from '../../engine/system/same-list.ts';
import { backendNameIn, type Sections, sectionsOf, titleOf } from '../text/config-text.ts';

/** A configuration, and its pieces if known. */
export type Configuration = Pick<Rendered, 'text' | 'pieces'>;

interface Texts {
  readonly before: string;
  readonly after: string;
  /** The whole configurations: a backend may depend on another one. */
  readonly isWhole?: true;
}

/**
 * Two configurations without the backends that are equal in both: of ten thousand, usually one has changed. The whole configurations if a backend may
 * depend on another one, or on defaults that follow some backend.
 */
export function changedSections(before: Configuration, after: Configuration): Texts {
  if (before.pieces !== undefined && after.pieces !== undefined)
    return changedPieces(before.pieces, after.pieces);
  const [old, now] = [sectionsOf(before.text), sectionsOf(after.text)];
  if (old === undefined || now === undefined)
    return { before: before.text, after: after.text, isWhole: true };
  const isChanged = (other: Sections) => (section: string) =>
    other.backends.get(titleOf(section)) !== section;
  return {
    before: [old.head, ...[...old.backends.values()].filter(isChanged(now))].join(''),
    after: [now.head, ...[...now.backends.values()].filter(isChanged(old))].join(''),
  };
}

/** Of each, the first piece and the pieces that the other lacks. */
function changedPieces(before: readonly string[], after: readonly string[]): Texts {
  const { start, end } = changedSpan(before, after);
  const changed = (pieces: readonly string[]): readonly string[] =>
    pieces.slice(Math.max(start, 1), pieces.length - end);
  const [old, now] = [changed(before), changed(after)];
  const textOf = (head = '', backends: readonly string[], others: ReadonlySet<string>): string =>
    [head, ...backends.filter((piece) => !others.has(piece))].join('');
  return { before: textOf(before[0], old, new Set(now)), after: textOf(after[0], now, new Set(old)) };
}

/**
 * The first configuration with its backends replaced by those of the second, except the ones in `kept`. Its first piece stays, and so do
 * backends that only one of the two has.
 */
export function withBackends(
  before: Configuration,
  after: Configuration,
  kept: ReadonlySet<string>,
): readonly string[] {
  const [old, now] = [piecesOf(before), piecesOf(after)];
  const { start, end } = changedSpan(old, now);
  const news = new Map(
    now.slice(Math.max(start, 1), now.length - end).map((piece) => [backendNameIn(piece), piece]),
  );
  return old.map((piece, index) => {
    if (index < Math.max(start, 1) || index >= old.length - end) return piece;
    const name = backendNameIn(piece);
    return kept.has(name) ? piece : (news.get(name) ?? piece);
  });
}

function piecesOf({ text, pieces }: Configuration): readonly string[] {
  if (pieces !== undefined) return pieces;
  const sections = sectionsOf(text);
  return sections === undefined ? [text] : [sections.head, ...sections.backends.values()];
}
