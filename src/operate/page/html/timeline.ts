import type { Band, BandKind, VipLane } from '../view/lanes.ts';
import type { Mark, MarkKind, MarkLane } from '../view/marks.ts';
import type { Tick } from '../view/time-span.ts';
import type { TimelineView } from '../view/timeline.ts';
import { type Html, html } from './html.ts';
import { markSample } from './icons.ts';

export function timelineSection({ vips, marks, ticks }: TimelineView): Html {
  return html`<section class="timeline" aria-labelledby="timeline">
<h2 id="timeline">The last hour <span class="aside">UTC</span></h2>
<div class="lanes">
${vips.map((lane, index) => vipLane(lane, vips[index - 1], ticks))}
${marks.map((lane) => markLane(lane, ticks))}
${axis(ticks)}
</div>
${legend}
</section>`;
}

/** The VIP is a heading where it is not the one before. */
function vipLane({ vip, node, bands }: VipLane, before: VipLane | undefined, ticks: readonly Tick[]): Html {
  const heading = before?.vip === vip ? null : html`<h3 class="lane-of mono">${vip}</h3>`;
  const label = `${vip} on ${node}: ${sample(bands.map(({ words }) => words))}`;
  return html`${heading}<div class="lane"><span class="lane-name">${node}</span>${drawing(label, [grid(ticks), ...bands.map(bandShape)])}</div>\n`;
}

function markLane({ name, marks }: MarkLane, ticks: readonly Tick[]): Html {
  const label = `${name}: ${marks.length === 0 ? 'nothing' : sample(marks.map(({ words }) => words))}`;
  return html`<div class="lane marks"><span class="lane-name">${name}</span>${drawing(label, [grid(ticks), ...marks.map(markShape)])}</div>\n`;
}

const MOST_SPOKEN = 5;

/** As much as a person listens to; all of it is below, in words. */
function sample(words: readonly string[]): string {
  const more = words.length - MOST_SPOKEN;
  return `${more > 0 ? `${more} earlier, then ` : ''}${words.slice(-MOST_SPOKEN).join(', ')}`;
}

function drawing(label: string, shapes: readonly Html[]): Html {
  return html`<svg class="drawing" width="100%" height="22" role="img" aria-label="${label}">${shapes}</svg>`;
}

function grid(ticks: readonly Tick[]): Html {
  return html`<g class="grid">${ticks.map(({ x }) => html`<line x1="${x}%" x2="${x}%" y1="0" y2="22"/>`)}</g>`;
}

/** The height distinguishes the states: a full, hatched or empty bar; a thin line; nothing. */
function bandShape({ kind, from, to, words }: Band): Html {
  const width = Math.round((to - from) * 100) / 100;
  const [y, height] = kind === 'backup' || kind === 'unknown' ? [10, 2] : [4, 14];
  const fill = kind === 'fault' ? html` fill="url(#hatch)"` : null;
  return html`<rect class="band ${kind}"${fill} x="${from}%" width="${width}%" y="${y}" height="${height}"><title>${words}</title></rect>`;
}

function markShape({ kind, x, words }: Mark): Html {
  return html`<svg class="at" x="${x}%" y="11" overflow="visible"><use class="mark ${kind}" href="#mark-${kind}"><title>${words}</title></use></svg>`;
}

function axis(ticks: readonly Tick[]): Html {
  const labels = ticks.map(({ x, label }, index) => {
    const anchor = x < 4 ? 'start' : x > 96 ? 'end' : 'middle';
    return html`<text class="${index % 2 === 0 ? 'even' : 'odd'}" x="${x}%" y="13" text-anchor="${anchor}">${label}</text>`;
  });
  return html`<div class="lane axis" aria-hidden="true"><span class="lane-name"></span><svg class="drawing" width="100%" height="18">${labels}</svg></div>`;
}

const BANDS: readonly (readonly [BandKind, string])[] = [
  ['holder', 'holder'],
  ['backup', 'backup'],
  ['fault', 'fault'],
  ['stopped', 'stopped'],
];

const MARKS: readonly (readonly [MarkKind, string])[] = [
  ['trouble', 'trouble'],
  ['health', 'health'],
  ['repair', 'repair'],
  ['change', 'change'],
  ['life', 'start or end'],
];

const legend: Html = html`<ul class="legend" aria-label="What the shapes mean">
${BANDS.map(([kind, words]) => html`<li><svg width="26" height="22" aria-hidden="true">${bandShape({ kind, from: 4, to: 96, words })}</svg>${words}</li>`)}
${MARKS.map(([kind, words]) => html`<li>${markSample(kind)}${words}</li>`)}
</ul>`;
