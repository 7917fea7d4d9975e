import type { RankView, VipView } from '../view/vips.ts';
import { type Html, html } from './html.ts';
import { state } from './icons.ts';
import { type Column, table, toldOf } from './table.ts';

const KINDS: Readonly<Record<VipView['kind'], string>> = { api: 'Kubernetes API', ingress: 'Ingress' };

export function vipsSection(vips: readonly VipView[]): Html {
  const none = html`<p class="note">No VIP is known: none is configured, or the programs that know it do not answer.</p>`;
  return html`<section class="vips" aria-labelledby="vips">
<h2 id="vips">Virtual IPs</h2>
${vips.length === 0 ? none : vips.map(vipBlock)}
</section>`;
}

function vipBlock({ vip, kind, holder, heldFor, why, ranks }: VipView): Html {
  return html`<div class="vip"${toldOf(`VIP ${vip}`, holder.words)}>
<h3><span class="mono">${vip}</span> <span class="aside">${KINDS[kind]}</span></h3>
<p class="holder">${state(holder)}${heldFor === null ? null : html` <span class="aside">for ${heldFor}</span>`}</p>
${why.length === 0 ? null : html`<ul class="why">${why.map((line) => html`<li>${line}</li>`)}</ul>`}
${ranks.length === 0 ? null : ranksTable(vip, ranks)}
</div>\n`;
}

const columns: readonly Column[] = [
  ['Node', 'name'],
  ['State', 'how'],
  ['What it is worth', 'sum'],
  ['Priority', 'number'],
];

function ranksTable(vip: string, ranks: readonly RankView[]): Html {
  const rows = ranks.map((rank) => ({
    cells: [
      rank.node,
      state(rank.state),
      sumOf(rank),
      rank.priority ?? html`<span class="aside">not known</span>`,
    ],
  }));
  return table(`Priorities of the nodes for ${vip}`, 'ranks', columns, rows);
}

function sumOf({ addends, notes }: RankView): Html {
  const shown = addends.map(
    ({ points, why }, index) =>
      html`<span class="addend"><span class="points">${signed(points, index === 0)}</span> ${why}</span> `,
  );
  return html`${shown}${notes.map((note) => html`<span class="note">${note}</span>`)}`;
}

/** `220` for the first, `+ 30` and `− 254` for the others. */
function signed(points: number, isFirst: boolean): string {
  if (points < 0) return `− ${-points}`;
  return isFirst ? `${points}` : `+ ${points}`;
}
