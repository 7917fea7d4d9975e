import {
  type Fact,
  isLabel,
  type Part,
  type Row,
  type Section,
  type StatusLabel,
  type Table,
  type Tone,
  wordsOf,
} from '../../../engine/examine/section.ts';
import { countText, printable } from '../../../engine/system/text/readable-text.ts';
import { wrapText } from '../../../engine/system/text/wrap-text.ts';
import type { ClusterStatus } from '../node-status.ts';
import type { ProductStatus } from '../product-status.ts';
import { statusView } from './status-view.ts';

const WIDTH = 80;
const INDENT = 2;
/** Width of the first word of a line. `maintenance` is the longest. */
const WORD = 13;

type Paint = (label: StatusLabel) => string;

/** The status as text, 80 columns wide: the verdict and the problems, then all sections. */
export function statusLines(
  status: ClusterStatus,
  products: readonly ProductStatus[],
  { colours }: { readonly colours: boolean },
): readonly string[] {
  const paint = painter(colours);
  const { verdict, node, cluster, at, problems, sections } = statusView(status, products);
  const count = problems.length === 0 ? '' : `, ${countText(problems.length, 'problem')}`;
  const group = cluster === null ? '' : ` of ${printable(cluster)}`;
  const problem: StatusLabel = { tone: 'bad', words: 'problem' };
  return [
    `${paint({ ...verdict, words: verdict.words.toLowerCase() })}${count}, seen from ${printable(node)}${group} at ${at.slice(0, 19)}Z`,
    ...(problems.length === 0 ? [] : ['', 'Problems, worst first']),
    ...problems.flatMap((text) => rowLines(problem, text, paint)),
    ...sections.flatMap((section) => section.parts.flatMap((part) => partLines(section, part, paint))),
  ];
}

const COLOURS: Readonly<Record<Tone, number>> = {
  good: 32,
  busy: 33,
  warn: 33,
  bad: 31,
  unknown: 33,
  idle: 0,
};

/** Colours labels. The words alone always state the same. */
function painter(colours: boolean): Paint {
  return ({ tone, words }) =>
    colours && tone !== 'idle' ? `\u001b[${COLOURS[tone]}m${words}\u001b[0m` : words;
}

function partLines({ title }: Section, part: Part, paint: Paint): readonly string[] {
  const { title: own, summary, age, tables = [], facts = [] } = part;
  const name = own === undefined ? title : `${own.noun} ${own.name} (${own.aside})`;
  return [
    '',
    ...headLines(name, summary, age == null ? '' : ` for ${age}`, paint),
    ...tables.flatMap((table) => table.rows.flatMap((row) => tableLines(table, row, paint))),
    ...facts.flatMap((fact) => factLines(fact, paint)),
  ];
}

/** The title and the summary. The summary is coloured on each line that contains a part of it. */
function headLines(name: string, summary: StatusLabel | undefined, since: string, paint: Paint) {
  const title = printable(name);
  if (summary === undefined) return wrapText(title, WIDTH);
  const { tone } = summary;
  const words = printable(summary.words);
  const from = title.length + 2;
  let at = 0;
  return wrapText(`${title}: ${words}${since}`, WIDTH).map((line) => {
    const [start, end] = [from - at, from + words.length - at].map((each) => Math.max(0, each));
    at += line.length + 1;
    const coloured = line.slice(start, end);
    return coloured === ''
      ? line
      : `${line.slice(0, start)}${paint({ tone, words: coloured })}${line.slice(end)}`;
  });
}

function tableLines({ lead }: Table, { name, aside = [], cells, details = [] }: Row, paint: Paint) {
  const state = cells.flat().find(isLabel) ?? { tone: 'idle', words: '' };
  const rest = cells.filter((cell) => lead === 'name' || cell[0] !== state).map(wordsOf);
  const who = [...(lead === 'name' ? [] : [wordsOf(name)]), wordsOf(aside)].filter(Boolean).join(' ');
  const text = [who, ...rest].filter(Boolean).join(', ');
  const word = lead === 'name' ? { ...state, words: wordsOf(name) } : state;
  return [
    ...rowLines(word, text, paint),
    ...details.flatMap(({ name, state, message, age }) => {
      const since = age === null ? '' : `, ${age}`;
      return rowLines(state, `${name}: ${message}${since}`, paint, 2 * INDENT);
    }),
  ];
}

function factLines({ name, state, text }: Fact, paint: Paint): readonly string[] {
  const rest = [state?.words, text].filter(Boolean).join(': ');
  return rowLines({ tone: state?.tone ?? 'idle', words: name.toLowerCase() }, rest, paint);
}

function rowLines(
  { tone, words }: StatusLabel,
  text: string,
  paint: Paint,
  indent = INDENT,
): readonly string[] {
  const lead = printable(words);
  const margin = ' '.repeat(indent);
  const column = INDENT + WORD - indent;
  const [first = '', ...more] = wrapText(printable(text), WIDTH - INDENT - WORD);
  // A long name is printed on its own line.
  const isLong = lead.length >= column;
  const rest = isLong ? [first, ...more] : more;
  const painted = paint({ tone, words: lead });
  const head = isLong ? painted : `${painted}${' '.repeat(column - lead.length)}${first}`;
  return [`${margin}${head}`, ...rest.map((line) => `${' '.repeat(INDENT + WORD)}${line}`)];
}
