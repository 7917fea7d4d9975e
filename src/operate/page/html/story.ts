import type { StoryLine } from '../view/story.ts';
import type { TimelineView } from '../view/timeline.ts';
import { type Html, html } from './html.ts';
import { markSample } from './icons.ts';
import { table } from './table.ts';

export function storySection({ story, more, isCut, problems }: TimelineView): Html {
  const rows = story.map((line) => ({ cells: cellsOf(line) }));
  const rest = isCut ? `More than ${more} earlier ones` : `${more} earlier`;
  return html`<section class="story" aria-labelledby="story">
<h2 id="story">What happened in that hour</h2>
${problems.map((problem) => html`<p class="note">Not read: ${problem}</p>`)}
${rows.length === 0 ? html`<p class="note">The journals have nothing of it.</p>` : table('Entries of the journals, the newest first', 'story-list', columns, rows)}
${more === 0 && !isCut ? null : html`<p class="note">${rest}: <code>hawser timeline --since 1h</code></p>`}
</section>`;
}

const columns = { 'Time (UTC)': 'time', Node: 'node', Kind: 'kind', 'What happened': 'what' };

function cellsOf({ at, time, node, mark, kind, words, because }: StoryLine) {
  return [
    html`<time datetime="${at}">${time}</time>`,
    node,
    html`<span class="state">${markSample(mark)}<span>${kind}</span></span>`,
    html`${words}${because === null ? null : html`<span class="note"><span aria-hidden="true">← </span><span class="hidden">Close by: </span>${because}</span>`}`,
  ];
}
