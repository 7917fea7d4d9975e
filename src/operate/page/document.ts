import { countText } from '../../engine/system/text/readable-text.ts';
import type { StatusView } from '../status/view/status-view.ts';
import { type Html, html, textOf } from './html.ts';
import { clockText } from './lanes.ts';
import { sectionPart, state } from './sections.ts';

/**
 * The whole page as it is at `at` (ISO 8601). `#state` is what the browser replaces whenever it has changed, and `#verdict`
 * is what it announces. Without scripts the page loads itself again. All that it loads comes from where it came from.
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
