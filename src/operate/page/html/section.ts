import {
  type Detail,
  type Fact,
  isLabel,
  isLine,
  type Part,
  type Piece,
  type Row,
  type Section,
  type Table,
  wordsOf,
} from '../../../engine/examine/section.ts';
import { type Html, html } from './html.ts';
import { icon, state } from './icons.ts';
import { type Columns, table, toldOf } from './table.ts';

export function sectionPart({ id, title, about, parts }: Section): Html {
  return html`<section class="${id}" aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${parts.map((part) => partBlock(part, about))}</section>`;
}

function partBlock({ title, summary, age, tables = [], facts = [] }: Part, sectionAbout?: string): Html {
  const about = title === undefined ? sectionAbout : `${title.noun} ${title.name}`;
  const told = about === undefined || summary === undefined ? null : toldOf(about, summary.words);
  return html`<div class="part"${told}>
${title === undefined ? null : html`<h3><span class="mono">${title.name}</span> <span class="aside">${title.aside}</span></h3>\n`}${summary === undefined ? null : html`<p class="summary">${state(summary)}${age == null ? null : html` <span class="aside">for ${age}</span>`}</p>\n`}${tables.map(tablePart)}${facts.length === 0 ? null : html`<dl class="facts">${facts.map((fact) => factLine(fact, about))}</dl>\n`}</div>\n`;
}

function tablePart({ label, style, noun, columns, rows, folded }: Table): Html | null {
  if (rows.length === 0) return null;
  const shown = table(
    label,
    style,
    columns,
    rows.map((row) => ({
      ...(noun !== undefined && { about: `${noun} ${wordsOf(row.name)}`, tell: stateOf(row) }),
      cells: cellsOf(row, columns),
    })),
  );
  return folded === undefined
    ? html`${shown}\n`
    : html`<details><summary>${folded}</summary>${shown}</details>\n`;
}

/** The states alone: ages and numbers change all the time. */
function stateOf({ cells }: Row): string {
  const states = cells
    .filter((cell) => cell.some(isLabel))
    .map((cell) => cell.filter((each) => !isLine(each)));
  return states.map(wordsOf).join('; ');
}

const nothing = html`<span class="aside nothing">–</span>`;

function cellsOf({ name, aside, cells, details }: Row, columns: Columns): readonly Html[] {
  const head = html`${name.map(pieceOf)}${aside === undefined ? null : html` <span class="aside">${aside.map(pieceOf)}</span>`}`;
  const shown = cells.map((cell) => (cell.length === 0 ? nothing : html`${cell.map(pieceOf)}`));
  const isDetailed = Object.keys(columns).length > cells.length + 1;
  const list = details?.length ? html`<ul>${details.map(detailLine)}</ul>` : nothing;
  return [head, ...shown, ...(isDetailed ? [list] : [])];
}

function pieceOf(piece: Piece): Html {
  if (typeof piece === 'string') return html`${piece}`;
  return isLabel(piece) ? state(piece) : html`<span class="${piece.as}">${piece.of.map(pieceOf)}</span>`;
}

function detailLine({ name, state: { tone, words }, found, age }: Detail): Html {
  const since = age === null ? null : html` <span class="aside age">${age}</span>`;
  return html`<li><span class="state ${tone}">${icon(tone)}<span>${name}: ${words}</span></span> <span class="aside">${found}</span>${since}</li>`;
}

function factLine({ name, state: how, text, output }: Fact, about: string | undefined): Html {
  const of = about === undefined ? '' : ` of ${about}`;
  const told = how === undefined ? null : toldOf(`The ${name.toLowerCase()}${of}`, how.words);
  const words =
    how === undefined
      ? text
      : html`${state(how)}${text === undefined ? null : html`<span class="note">${text}</span>`}`;
  return html`<div${told}><dt>${name}</dt><dd>${words}${output === undefined ? null : html`<pre>${output}</pre>`}</dd></div>\n`;
}
