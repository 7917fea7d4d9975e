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
import { countText } from '../../engine/system/text/readable-text.ts';
import type { StatusView } from '../status/view/status-view.ts';
import type { Range } from '../timeline/collect.ts';
import { type Html, html, textOf } from './html.ts';
import { type Band, type BandKind, clockText, placeOf, type VipLane } from './lanes.ts';

/**
 * Returns the page at the time `at` (ISO 8601). The browser script replaces `#state` when it changes and announces `#verdict`.
 * Without scripts the page reloads itself. It loads files only from its own origin.
 */
export function pageDocument(view: StatusView, lanes: Html | null, at: string): string {
  const { verdict, node, cluster, problems, sections } = view;
  const wide = sections.filter(({ place }) => place === 'wide');
  const others = sections.filter(({ place }) => place !== 'wide');
  return textOf(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<noscript><meta http-equiv="refresh" content="5"></noscript>
<title>${verdict.words} · ${node} · hawser</title>
<link rel="stylesheet" href="page.css">
<link rel="icon" href="icon.svg" type="image/svg+xml">
<script type="module" src="page.js"></script>
</head>
<body>
<header>
<p><b>hawser</b></p>
<p><span id="contact" role="status">As it was at</span> <time id="at" datetime="${at}">${clockText(at)} UTC</time></p>
</header>
<p id="verdict" class="hidden" role="status">${verdict.words}, ${countText(problems.length, 'problem')}</p>
<main id="state">
<div class="verdict wide">
<h1>${state(verdict)}</h1>
<p>${cluster === null ? null : html`<b>${cluster}</b>, `}seen from <b>${node}</b></p>
${problems.length === 0 ? null : html`<ul aria-label="Problems">${problems.map((each) => html`<li>${each}</li>`)}</ul>`}
</div>
<div class="columns">
${others.map(sectionPart)}</div>
${lanes}${wide.map(sectionPart)}</main>
<footer><p>Read only. Times are UTC. <code>hawser status</code> and <code>hawser timeline</code> say more.</p></footer>
</body>
</html>
`);
}

const SHAPES: Readonly<Record<Tone, string>> = {
  good: '●',
  busy: '◐',
  warn: '▲',
  bad: '■',
  unknown: '?',
  idle: '○',
};

/** A shape and words in a colour. The colour is redundant, and the shape is hidden from screen readers. */
function state({ tone, words }: StatusLabel): Html {
  return html`<span class="state ${tone}"><span class="shape" aria-hidden="true">${SHAPES[tone]}</span><span>${words}</span></span>`;
}

function sectionPart({ id, title, place, parts }: Section): Html {
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

/** The roles are explicit, because some browsers do not expose a table whose rows a style sheet displays as blocks. */
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

function detailLine({ name, state: { tone, words }, message, age }: Detail): Html {
  const since = age === null ? '' : `, ${age}`;
  return html`<li>${state({ tone, words: `${name}: ${words}` })} <span class="aside">${message}${since}</span></li>`;
}

function factLine({ name, state: label, text, output }: Fact): Html {
  return html`<div><dt>${name}</dt><dd>${label && state(label)} ${text}${output && html`<pre>${output}</pre>`}</dd></div>\n`;
}

const TICK_MS = 600_000;

/** Which node held each VIP, as a drawing with text labels. Null without a VIP. `problems` are the journals that could not be read. */
export function lanesSection(
  lanes: readonly VipLane[],
  span: Range,
  problems: readonly string[],
): Html | null {
  if (lanes.length === 0) return null;
  return html`<section class="wide" aria-labelledby="lanes">
<h2 id="lanes">The last hour <span class="aside">UTC</span></h2>
${problems.map((problem) => html`<p class="note">Not read: ${problem}</p>\n`)}${lanes.map((lane, index) => laneOf(lane, lanes[index - 1], span))}${axis(span)}
<p>${LEGEND.map((kind) => html`<svg width="26" height="18" aria-hidden="true">${bar({ kind, from: 0, to: 100, words: kind })}</svg> ${kind} &ensp;`)}</p>
<p class="note">Why each move happened: <code>hawser timeline --since 1h</code></p>
</section>\n`;
}

const LEGEND: readonly BandKind[] = ['holder', 'backup', 'fault', 'stopped'];
const MAX_SPOKEN = 5;

/** A lane, with a heading above the first lane of each VIP. The label for screen readers is limited to the latest states. */
function laneOf({ vip, node, bands }: VipLane, before: VipLane | undefined, span: Range): Html {
  const heading = before?.vip === vip ? null : html`<h3>${vip}</h3>\n`;
  const words = bands.slice(-MAX_SPOKEN).map((band) => band.words);
  const lines = ticksOf(span).map((at) => gridLine(placeOf(at, span)));
  return html`${heading}<div class="lane"><span>${node}</span><svg height="22" role="img" aria-label="${vip} on ${node}: ${words.join(', ')}">${lines}${bands.filter(({ kind }) => kind !== 'unknown').map(bar)}</svg></div>\n`;
}

function gridLine(x: number): Html {
  return html`<line x1="${x}%" x2="${x}%" y2="22"/>`;
}

/** The shape distinguishes the states: a filled or empty bar, a thin or dashed line. An unknown state has no shape. */
function bar({ kind, from, to, words }: Band): Html {
  const [y, height] = kind === 'holder' || kind === 'fault' ? [4, 14] : [10, 2];
  const width = Math.round((to - from) * 100) / 100;
  return html`<rect class="${kind}" x="${from}%" width="${width}%" y="${y}" height="${height}"><title>${words}</title></rect>`;
}

function axis(span: Range): Html {
  const labels = ticksOf(span).map(
    (at) =>
      html`<text x="${placeOf(at, span)}%" y="13" text-anchor="middle">${clockText(at).slice(0, 5)}</text>`,
  );
  return html`<div class="lane" aria-hidden="true"><span></span><svg height="18">${labels}</svg></div>`;
}

/** Every ten minutes. */
function ticksOf({ since, until }: Range): readonly string[] {
  const first = Math.ceil(Date.parse(since) / TICK_MS) * TICK_MS;
  const count = Math.floor((Date.parse(until) - first) / TICK_MS) + 1;
  return Array.from({ length: count }, (_, n) => new Date(first + n * TICK_MS).toISOString());
}
