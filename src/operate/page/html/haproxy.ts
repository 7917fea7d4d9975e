import type { GenerationView, HaproxyView } from '../view/haproxy.ts';
import { type Html, html } from './html.ts';
import { state } from './icons.ts';
import { sessionsCell } from './sessions.ts';
import { type Column, table, toldOf } from './table.ts';

export function haproxySection(view: HaproxyView, node: string): Html {
  const { summary, generations, redirect, facts } = view;
  return html`<section class="haproxy" aria-labelledby="haproxy">
<h2 id="haproxy">HAProxy on ${node}</h2>
<p class="summary"${toldOf('HAProxy', summary.words)}>${state(summary)}</p>
${generations.length === 0 ? null : generationsTable(generations)}
<dl class="facts">
<div${toldOf('The redirect', redirect.words)}><dt>Redirect</dt><dd>${state(redirect)}${redirect.detail === null ? null : html`<span class="note">${redirect.detail}</span>`}</dd></div>
${facts.map(({ name, text, detail }) => html`<div><dt>${name}</dt><dd>${text}${detail === null ? null : html`<pre>${detail}</pre>`}</dd></div>\n`)}
</dl>
</section>`;
}

const columns: readonly Column[] = [
  ['Generation', 'name'],
  ['State', 'how'],
  ['For', 'age'],
  ['Runs on, or ends', 'check'],
  ['Sessions', 'number'],
];

function generationsTable(generations: readonly GenerationView[]): Html {
  const rows = generations.map(({ number, state: how, forLong, note, sessions }) => ({
    about: `HAProxy's generation ${number}`,
    tell: how.words,
    cells: [
      html`<span class="unit">generation </span>${number}`,
      state(how),
      html`<span class="unit">for </span>${forLong}`,
      note,
      sessionsCell(sessions),
    ],
  }));
  return table('Generations of HAProxy', 'generations', columns, rows);
}
