import { type Html, html } from './html.ts';
import { type Band, type BandKind, clockText, placeOf, type TimeSpan, type VipLane } from './lanes.ts';

const TICK_MS = 600_000;

/** Which node had each VIP, as a drawing and in words. Null without a VIP. `problems` are journals that cannot be read. */
export function lanesSection(
  lanes: readonly VipLane[],
  span: TimeSpan,
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
const MOST_SPOKEN = 5;

/** Each VIP has one heading, above its first lane. A screen reader hears as much as a person listens to. */
function laneOf({ vip, node, bands }: VipLane, before: VipLane | undefined, span: TimeSpan): Html {
  const heading = before?.vip === vip ? null : html`<h3>${vip}</h3>\n`;
  const words = bands.slice(-MOST_SPOKEN).map((band) => band.words);
  const lines = ticksOf(span).map((at) => gridLine(placeOf(at, span)));
  return html`${heading}<div class="lane"><span>${node}</span><svg height="22" role="img" aria-label="${vip} on ${node}: ${words.join(', ')}">${lines}${bands.filter(({ kind }) => kind !== 'unknown').map(bar)}</svg></div>\n`;
}

function gridLine(x: number): Html {
  return html`<line x1="${x}%" x2="${x}%" y2="22"/>`;
}

/** The shape distinguishes the states: a full or an empty bar, a thin or a dashed line. What is unknown has none. */
function bar({ kind, from, to, words }: Band): Html {
  const [y, height] = kind === 'holder' || kind === 'fault' ? [4, 14] : [10, 2];
  const width = Math.round((to - from) * 100) / 100;
  return html`<rect class="${kind}" x="${from}%" width="${width}%" y="${y}" height="${height}"><title>${words}</title></rect>`;
}

function axis(span: TimeSpan): Html {
  const labels = ticksOf(span).map(
    (at) =>
      html`<text x="${placeOf(at, span)}%" y="13" text-anchor="middle">${clockText(at).slice(0, 5)}</text>`,
  );
  return html`<div class="lane" aria-hidden="true"><span></span><svg height="18">${labels}</svg></div>`;
}

/** Every ten minutes. */
function ticksOf({ from, to }: TimeSpan): readonly string[] {
  const first = Math.ceil(Date.parse(from) / TICK_MS) * TICK_MS;
  const count = Math.floor((Date.parse(to) - first) / TICK_MS) + 1;
  return Array.from({ length: count }, (_, n) => new Date(first + n * TICK_MS).toISOString());
}
