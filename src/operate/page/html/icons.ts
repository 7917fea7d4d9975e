import type { StatusLabel, Tone } from '../../../engine/examine/section.ts';
import type { StoryLine } from '../view/story.ts';
import { type Html, html } from './html.ts';

/**
 * Every shape of the page, drawn once: the outline alone distinguishes states. `cut` is the hole in a filled shape; the
 * marks of the time line are drawn around their origin.
 */
export const sprite: Html = html`
<svg class="sprite" width="0" height="0" aria-hidden="true" focusable="false">
  <symbol id="good" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7" fill="currentColor"/><path class="cut" d="M4.7 8.3 7.1 10.7 11.4 5.7"/></symbol>
  <symbol id="busy" viewBox="0 0 16 16"><circle class="outline" cx="8" cy="8" r="6.1"/><path d="M8 1.9a6.1 6.1 0 0 0 0 12.2z" fill="currentColor"/></symbol>
  <symbol id="warn" viewBox="0 0 16 16"><path d="M8 1 15.4 14.4H.6z" fill="currentColor" stroke="currentColor" stroke-linejoin="round"/><path class="cut" d="M8 5.8v4.2M8 12.2v.1"/></symbol>
  <symbol id="bad" viewBox="0 0 16 16"><rect x="1" y="1" width="14" height="14" rx="2.5" fill="currentColor"/><path class="cut" d="M5 5l6 6M11 5l-6 6"/></symbol>
  <symbol id="unknown" viewBox="0 0 16 16"><circle class="outline" cx="8" cy="8" r="6.2" stroke-dasharray="2.4 2.2"/><path class="outline" d="M6.3 6.5a1.8 1.8 0 1 1 2.6 1.6c-.6.3-.9.6-.9 1.2M8 11.3v.1"/></symbol>
  <symbol id="idle" viewBox="0 0 16 16"><circle class="outline" cx="8" cy="8" r="5.6"/></symbol>
  <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="hatch" width="2.6" height="6"/></pattern>
  <path id="mark-trouble" d="M-4-4 4 4M4-4-4 4"/>
  <path id="mark-repair" d="M0-5V5M-5 0H5"/>
  <path id="mark-health" d="M0-5 5 4H-5z"/>
  <circle id="mark-change" r="4"/>
  <path id="mark-life" d="M0-6V6"/>
  <path id="mark-move" d="M-5 0H4M1-4 5 0 1 4"/>
</svg>`;

/** The shape of a state. The words beside it say the same, so it is nothing to a screen reader. */
export function icon(tone: Tone): Html {
  return html`<svg class="icon ${tone}" viewBox="0 0 16 16" aria-hidden="true" focusable="false"><use href="#${tone}"/></svg>`;
}

/** Shape and words. */
export function state({ tone, words }: StatusLabel): Html {
  return html`<span class="state ${tone}">${icon(tone)}<span>${words}</span></span>`;
}

/** The shape of an entry of the journal, as the time line has it. */
export function markSample(kind: StoryLine['mark']): Html {
  return html`<svg class="sample" viewBox="-8 -8 16 16" aria-hidden="true" focusable="false"><use class="mark ${kind}" href="#mark-${kind}"/></svg>`;
}
