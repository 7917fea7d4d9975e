import type { CheckView, NodeView } from '../view/nodes.ts';
import { type Html, html } from './html.ts';
import { icon, state } from './icons.ts';
import { type Column, table } from './table.ts';

const columns: readonly Column[] = [
  ['Node', 'name'],
  ['Programs', 'how'],
  ['HAProxy', 'haproxy'],
  ['Holds', 'holds'],
  ['Checks', 'checks'],
  ['Runs on', 'hashes'],
];

export function nodesSection(nodes: readonly NodeView[]): Html {
  const rows = nodes.map((node) => ({
    about: `Node ${node.name}`,
    tell: `${node.programs.words}; HAProxy: ${node.haproxy.words}`,
    cells: cellsOf(node),
  }));
  return html`<section class="nodes" aria-labelledby="nodes">
<h2 id="nodes">Nodes</h2>
${table('Nodes', 'node-list', columns, rows)}
</section>`;
}

const nothing = html`<span class="aside nothing">–</span>`;

function cellsOf({
  name,
  address,
  isHere,
  programs,
  silent,
  haproxy,
  holds,
  checks,
  configurations,
}: NodeView) {
  return [
    html`${name} ${address === null ? null : html`<span class="aside mono">${address}</span>`}${isHere ? html` <span class="aside">this node</span>` : null}`,
    html`${state(programs)}${silent.map((each) => html`<span class="note">${each}</span>`)}`,
    html`<span class="unit">HAProxy </span>${state(haproxy)}`,
    holds.length === 0
      ? nothing
      : holds.map(
          (vip) =>
            html`<span class="line"><span class="unit">holds </span><span class="mono">${vip}</span></span>`,
        ),
    checks.length === 0 ? nothing : html`<ul>${checks.map(checkLine)}</ul>`,
    configurations.length === 0
      ? nothing
      : configurations.map(
          (each) =>
            html`<span class="line"><span class="mono">${each.hash}</span> <span class="aside">${each.name}${each.isOther ? ', not this node’s' : null}</span></span>`,
        ),
  ];
}

function checkLine({ check, state: { tone, words }, found, forLong }: CheckView): Html {
  const age = forLong === null ? null : html` <span class="aside age">for ${forLong}</span>`;
  return html`<li><span class="state ${tone}">${icon(tone)}<span>${check}: ${words}</span></span> <span class="aside">${found}</span>${age}</li>`;
}
