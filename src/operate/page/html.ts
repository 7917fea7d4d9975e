const text = Symbol('text');

/** HTML that may be sent as it is: only `html` makes it, and escapes whatever it is given. */
export interface Html {
  readonly [text]: string;
}

/** What may stand between pieces of HTML. Undefined and null are nothing. */
export type Piece = Html | string | number | undefined | null | readonly Piece[];

/** Characters that control, turn text around or cannot be seen: a name must not look like another one. */
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
 * A template tag. Every value is escaped for text and for attributes in quotes; it must not be put anywhere else (a tag's or
 * attribute's name, a URL, a script, a style).
 */
export function html(strings: TemplateStringsArray, ...values: readonly Piece[]): Html {
  const last = strings.length - 1;
  return { [text]: strings.map((each, n) => (n === last ? each : `${each}${textOf(values[n])}`)).join('') };
}

/** What is sent. */
export function textOf(piece: Piece): string {
  if (piece === undefined || piece === null) return '';
  if (typeof piece === 'string') return escapeText(piece);
  if (typeof piece === 'number') return String(piece);
  return text in piece ? piece[text] : piece.map(textOf).join('');
}

function escapeText(value: string): string {
  return value.replaceAll(UNPRINTABLE, '·').replaceAll(/[&<>"'`]/g, (char) => ESCAPES[char] ?? '');
}
