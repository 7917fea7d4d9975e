import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CheckOutcome, ConfigurationCheck } from '../../engine/apply/configuration-check.ts';
import type { Rendered } from '../../engine/apply/file-set.ts';
import { codeOf, messageOf } from '../../engine/system/errors.ts';
import { MAIN_FILE, writeTrial } from '../configuration/write-out.ts';
import type { RouteBackend } from '../model.ts';
import { firstWords, offendersIn } from './offenders.ts';
import { sift } from './sift.ts';

/** How other configurations are tried. */
export interface Trial {
  readonly check: ConfigurationCheck;
  /** Undefined where these backends cannot be rendered. */
  readonly render: (backends: readonly RouteBackend[]) => Promise<Rendered | undefined>;
  /** The text of the template with which they are rendered. */
  readonly template: () => string | undefined;
}

export interface Offenders {
  readonly taken: readonly RouteBackend[];
  /** By key, each with HAProxy's words, '' where there are none for its tenant; undefined where it may be another of them. */
  readonly words: ReadonlyMap<string, string | undefined>;
}

/**
 * Which of the suspects HAProxy refuses beside the base. All are checked first: what was refused a moment ago may have been refused for
 * want of memory. Undefined where no route can be blamed: HAProxy refuses the base alone, or a check could not be made.
 */
export async function findOffenders(
  base: readonly RouteBackend[],
  suspects: readonly RouteBackend[],
  trial: Trial,
  mostChecks: number,
  signal: AbortSignal,
): Promise<Offenders | undefined> {
  const look = (some: readonly RouteBackend[]) => tryOut([...base, ...some], trial, signal);
  const { outcome, text } = await look(suspects);
  if (outcome.kind === 'impossible') return undefined;
  if (outcome.kind === 'valid') return { taken: suspects, words: new Map() };
  const named = offendersIn(outcome.detail, text, [...base, ...suspects]);
  if (named.size > 0) return { taken: [], words: named };
  if ((await look([])).outcome.kind !== 'valid') return undefined;
  const found = await sift(suspects, outcome.detail, async (some) => (await look(some)).outcome, mostChecks);
  const open = found.open.map(({ key }) => [key, undefined] as const);
  const refused = [...found.refused].map(([{ key }, detail]) => [key, firstWords(detail)] as const);
  return { taken: found.taken, words: new Map<string, string | undefined>([...open, ...refused]) };
}

/** Whether HAProxy refuses them. False where that could not be tried. */
export async function areRefused(
  backends: readonly RouteBackend[],
  trial: Trial,
  signal: AbortSignal,
): Promise<boolean> {
  return (await tryOut(backends, trial, signal)).outcome.kind === 'invalid';
}

/** In a folder of its own: what is served and what lies beside it stay as they are. */
async function tryOut(
  backends: readonly RouteBackend[],
  { check, render }: Trial,
  signal: AbortSignal,
): Promise<{ readonly outcome: CheckOutcome; readonly text: string }> {
  const rendered = await render(backends.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
  if (rendered === undefined) return { outcome: { kind: 'impossible', message: 'not rendered' }, text: '' };
  const folder = await mkdtemp(join(tmpdir(), 'hawser-router-'));
  try {
    await writeTrial(folder, rendered);
    return { outcome: await check(join(folder, MAIN_FILE), signal), text: rendered.text };
  } catch (error) {
    // It is to stop, or there is no room for the files.
    if (!signal.aborted && codeOf(error) === undefined) throw error;
    return { outcome: { kind: 'impossible', message: messageOf(error) }, text: '' };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
