import type { Section } from '../../../engine/examine/section.ts';
import { countText } from '../../../engine/system/text/readable-text.ts';
import type { StatusView } from '../../status/view/status-view.ts';
import { clockText } from '../view/time-span.ts';
import type { TimelineView } from '../view/timeline.ts';
import { type Html, html, textOf } from './html.ts';
import { icon, sprite } from './icons.ts';
import { sectionPart } from './section.ts';
import { storySection } from './story.ts';
import { toldOf } from './table.ts';
import { timelineSection } from './timeline.ts';

/** What the page shows: the state, and the last hour of the journals. */
interface PageView extends StatusView {
  readonly timeline: TimelineView;
}

/** Of the browser's window. */
export function titleOf({ verdict, node }: StatusView): string {
  return `${verdict.words} · ${node} · hawser`;
}

/** The page's landmark that holds the state: what the browser replaces whenever it changes. */
export function mainPart(view: PageView): string {
  return textOf(main(view));
}

function main(view: PageView): Html {
  const { verdict, node, cluster, problems } = view;
  const placed = (place: Section['place']): readonly Html[] =>
    view.sections.filter((each) => each.place === place).map(sectionPart);
  // The problems say for how long, which changes all the time.
  const told = toldOf('The cluster', `${verdict.words}, ${countText(problems.length, 'problem')}`);
  return html`<main id="state">
<div class="verdict ${verdict.tone}"${told}>
<h1>${icon(verdict.tone)}<span>${verdict.words}</span></h1>
<p>${cluster === null ? null : html`<b>${cluster}</b>, `}seen from <b>${node}</b></p>
${problems.length === 0 ? null : html`<ul class="problems" aria-label="Problems">${problems.map((each) => html`<li>${each}</li>`)}</ul>`}
</div>
<div class="left">
${placed('left')}
${timelineSection(view.timeline)}
</div>
<div class="right">
${placed('right')}
</div>
${placed('wide')}
${storySection(view.timeline)}
</main>`;
}

/**
 * The whole page as it is at `at` (ISO 8601). It is complete without scripts, and says then that it stands still; with them
 * it says since when it has heard nothing. All that it loads comes from where it came from.
 */
export function pageDocument(view: PageView, at: string): string {
  return textOf(html`<!doctype html>
<html lang="en" data-contact="loaded">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${titleOf(view)}</title>
<link rel="stylesheet" href="page.css">
<link rel="icon" href="icon.svg" type="image/svg+xml">
<script type="module" src="page.js"></script>
</head>
<body>
${sprite}
<header>
<p class="brand">hawser</p>
<p class="contact"><span id="contact" role="status">As it was at</span> <time id="heard" datetime="${at}">${clockText(at)} UTC</time></p>
<p class="still">Without its script this page stands still: reload it.</p>
</header>
<p id="news" class="hidden" role="status"></p>
${main(view)}
<footer><p>Read only. Times are UTC. <code>hawser status</code> and <code>hawser timeline</code> say more.</p></footer>
</body>
</html>
`);
}
