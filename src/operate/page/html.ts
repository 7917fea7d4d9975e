const text = Symbol('text');

/** HTML that is safe to send. Only `html` creates it, and escapes every value. */
export interface Html {
  readonly [text]: string;
}

/** A value in an HTML template. Undefined and null are empty. */
export type Piece = Html | string | number | undefined | null | readonly Piece[];

/** Control characters, characters that change the text direction, and invisible ones, with which a name could look like another. */
const UNPRINTABLE = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/**
 * A template tag. Escapes every value for text and quoted attributes. Values must not be used elsewhere: in names of tags or
 * attributes, URLs, scripts or styles.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Piece[]): Html {
  const last = strings.length - 1;
  return { [text]: strings.map((each, n) => (n === last ? each : `${each}${textOf(values[n])}`)).join('') };
}

/** The text of the HTML. */
export function textOf(piece: Piece): string {
  if (piece === undefined || piece === null) return '';
  if (typeof piece === 'string') return escapeText(piece);
  if (typeof piece === 'number') return String(piece);
  return text in piece ? piece[text] : piece.map(textOf).join('');
}

function escapeText(value: string): string {
  return value.replaceAll(UNPRINTABLE, '·').replaceAll(/[&<>"'`]/g, (char) => ESCAPES[char] ?? '');
}
