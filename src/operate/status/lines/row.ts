import { printable } from '../../../engine/system/text/readable-text.ts';
import { wrapText } from '../../../engine/system/text/wrap-text.ts';

const WIDTH = 80;
const INDENT = 2;
/** Of the word that a line begins with: `maintenance` is the longest. */
const WORD = 13;

/** How good what a word says is; a colour on a terminal, and never the only carrier of it. */
export type Tone = 'good' | 'odd' | 'bad' | 'plain';

export interface Row {
  readonly word: string;
  readonly tone?: Tone;
  readonly text: string;
}

export interface Section {
  readonly title: string;
  readonly rows: readonly Row[];
}

export type Paint = (text: string, tone: Tone) => string;

const COLOURS: Readonly<Record<Tone, number>> = { good: 32, odd: 33, bad: 31, plain: 0 };

export function painter(colours: boolean): Paint {
  return (text, tone) => (colours && tone !== 'plain' ? `\u001b[${COLOURS[tone]}m${text}\u001b[0m` : text);
}

/** A title and its rows, at most 80 columns wide but for words that are longer; nothing where there are no rows. */
export function sectionLines({ title, rows }: Section, paint: Paint): readonly string[] {
  if (rows.length === 0) return [];
  return ['', ...wrapText(printable(title), WIDTH), ...rows.flatMap((row) => rowLines(row, paint))];
}

function rowLines({ word, tone = 'plain', text }: Row, paint: Paint): readonly string[] {
  const lead = printable(word);
  const margin = ' '.repeat(INDENT);
  const [first = '', ...more] = wrapText(printable(text), WIDTH - INDENT - WORD);
  // A long name has a line of its own.
  const isLong = lead.length >= WORD;
  const rest = isLong ? [first, ...more] : more;
  const head = isLong ? paint(lead, tone) : `${paint(lead, tone)}${' '.repeat(WORD - lead.length)}${first}`;
  return [`${margin}${head}`, ...rest.map((line) => `${' '.repeat(INDENT + WORD)}${line}`)];
}
