import {
  type Detail,
  type Fact,
  isLabel,
  type Part,
  type Piece,
  type Row,
  type Section,
  type StatusLabel,
  type Table,
  type Tone,
} from '../../engine/examine/section.ts';
import { type Html, html } from './html.ts';

const SHAPES: Readonly<Record<Tone, string>> = {
  ...{ good: '●', busy: '◐', warn: '▲', bad: '■', unknown: '?', idle: '○' },
};

/** A shape and words in a colour: the colour alone says nothing. The shape is nothing to a screen reader. */
export function state({ tone, words }: StatusLabel): Html {
  return html`<span class="state ${tone}"><span class="shape" aria-hidden="true">${SHAPES[tone]}</span><span>${words}</span></span>`;
}

export function sectionPart({ id, title, place, parts }: Section): Html {
  return html`<section class="${place}" aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${parts.map(partBlock)}</section>\n`;
}

function partBlock({ title, summary, age, tables = [], facts = [] }: Part): Html {
  return html`<div class="part">
${title && html`<h3>${title.name} <span class="aside">${title.aside}</span></h3>\n`}${
  summary &&
  html`<p>${state(summary)}${age == null ? null : html` <span class="aside">for ${age}</span>`}</p>\n`
}${tables.map(tablePart)}${facts.length === 0 ? null : html`<dl>${facts.map(factLine)}</dl>\n`}</div>\n`;
}

/** The roles are written out: not every browser takes rows that a style sheet lays out as blocks for a table. */
function tablePart({ label, columns, rows, folded }: Table): Html | null {
  if (rows.length === 0) return null;
  const heads = Object.entries(columns).map(
    ([name, column]) => html`<th role="columnheader" scope="col" class="${column}">${name}</th>`,
  );
  const table = html`<table role="table" aria-label="${label}">
<thead role="rowgroup"><tr role="row">${heads}</tr></thead>
<tbody role="rowgroup">${rows.map((row) => rowOf(row, Object.values(columns)))}</tbody>
</table>`;
  return folded === undefined ? table : html`<details><summary>${folded}</summary>${table}</details>`;
}

function rowOf({ name, aside = [], cells, details = [] }: Row, [first, ...columns]: readonly string[]): Html {
  const more = aside.length === 0 ? null : html` <span class="aside">${aside.map(pieceOf)}</span>`;
  const list = details.length === 0 ? null : html`<ul>${details.map(detailLine)}</ul>`;
  const shown = columns.map((column, index) => {
    const cell = cells[index]?.map(pieceOf) ?? [list];
    const style = cell.some(Boolean) ? column : `${column} empty`;
    return html`<td role="cell" class="${style}">${cell.some(Boolean) ? cell : '–'}</td>`;
  });
  return html`<tr role="row"><th role="rowheader" scope="row" class="${first}">${name.map(pieceOf)}${more}</th>${shown}</tr>\n`;
}

function pieceOf(piece: Piece): Html {
  if (typeof piece === 'string') return html`${piece}`;
  return isLabel(piece) ? state(piece) : html`<span class="${piece.as}">${piece.of.map(pieceOf)}</span>`;
}

function detailLine({ name, state: { tone, words }, found, age }: Detail): Html {
  const since = age === null ? '' : `, ${age}`;
  return html`<li>${state({ tone, words: `${name}: ${words}` })} <span class="aside">${found}${since}</span></li>`;
}

function factLine({ name, state: label, text, output }: Fact): Html {
  return html`<div><dt>${name}</dt><dd>${label && state(label)} ${text}${output && html`<pre>${output}</pre>`}</dd></div>\n`;
}
