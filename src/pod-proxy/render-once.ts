import type { RenderOutcome } from '../engine/render/render-template.ts';
import { monotonicMs } from '../engine/system/time/monotonic-clock.ts';
import type { JinjaJob } from './template/jinja.ts';
import { renderInChild } from './template/render-in-child.ts';

/** A failed template is rendered again after this time: the machine may have been out of memory. */
const RETRY_MS = 15_000;

/** Renders in a child process, and caches the last job: the loop asks every few seconds. */
export function renderOnce(signal: AbortSignal): (job: JinjaJob) => Promise<RenderOutcome> {
  let before: { readonly key: string; readonly outcome: RenderOutcome; readonly untilMs: number } | undefined;
  return async (job) => {
    const key = JSON.stringify(job);
    if (before?.key === key && monotonicMs() < before.untilMs) return before.outcome;
    const outcome = await renderInChild(job, signal);
    const untilMs = outcome.kind === 'rendered' ? Number.POSITIVE_INFINITY : monotonicMs() + RETRY_MS;
    before = { key, outcome, untilMs };
    return outcome;
  };
}
