import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RenderOutcome } from '../../engine/render/render-template.ts';
import { messageOf } from '../../engine/system/errors.ts';
import { runCommand } from '../../engine/system/process/run-command.ts';
import { parseJson } from '../../engine/system/text/parse-json.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import type { JinjaJob } from './jinja.ts';

/** Far more than the second that a template's budget takes, because a machine short of CPU takes seconds to start a process. */
const CHILD_TIMEOUT_MS = 10_000;
const MAX_HEAP_MB = 64;

/**
 * Renders in a separate process for each rendering. The process can read only hawser's code, cannot start programs or threads or evaluate text as
 * code, and has no environment variables. Reasons: a template can keep nunjucks' parser busy for minutes, and must not reach the monitor's credentials
 * for the API (docs/internals/decisions/0077). A template that takes too long or too much memory fails like any other. Never rejects.
 */
export async function renderInChild(job: JinjaJob, signal: AbortSignal): Promise<RenderOutcome> {
  const options = { input: JSON.stringify(job), env: {}, timeoutMs: CHILD_TIMEOUT_MS, signal };
  const result = await runCommand(childArgv(), options).catch(messageOf);
  if (typeof result === 'string') return failed(result);
  if (result.timedOut) return failed(`it was not rendered within ${CHILD_TIMEOUT_MS} ms`);
  // Node aborts when the heap is full.
  if (result.signal === 'SIGABRT') return failed(`it exceeds MAX_HEAP_MB (${MAX_HEAP_MB} MB)`);
  const outcome = result.exitCode === 0 ? parseJson(result.stdout) : undefined;
  if (outcome === undefined)
    return failed(
      `the process that renders it ended with ${result.signal ?? `exit code ${result.exitCode}`}`,
    );
  return outcome as RenderOutcome;
}

function failed(what: string): RenderOutcome {
  return { kind: 'failed', message: `Cannot render the template: ${what}` };
}

function childArgv(): readonly [string, ...string[]] {
  const here = dirname(fileURLToPath(import.meta.url));
  const isSource = import.meta.url.endsWith('.ts');
  // The files of the bundle are in one folder; the root of the sources and packages is three levels up.
  const code = isSource ? join(here, '../../..') : here;
  return [
    process.execPath,
    '--permission',
    `--allow-fs-read=${code}/`,
    '--disallow-code-generation-from-strings',
    `--max-old-space-size=${MAX_HEAP_MB}`,
    join(here, isSource ? 'jinja-child.ts' : 'jinja-child.mjs'),
  ];
}

/** A failed template is rendered again after this time, because the machine may have been out of memory. */
const RETRY_MS = 15_000;

/** Renders in a child process and caches the last outcome, because the loop renders every few seconds. */
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
