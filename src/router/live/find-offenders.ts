import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConfigurationCheck } from '../../engine/apply/configuration-check.ts';
import type { Rendered } from '../../engine/apply/file-set.ts';
import { codeOf } from '../../engine/system/errors.ts';
import { MAIN_FILE, writeOut } from '../configuration/write-out.ts';
import type { Decision } from '../decide/decide.ts';
import { firstRefused } from './first-refused.ts';
import { firstWords, offendersIn } from './offenders.ts';

interface Refused {
  readonly decision: Decision;
  /** The main file. */
  readonly text: string;
  /** HAProxy's words. */
  readonly detail: string;
}

/** How other configurations are tried. */
export interface Trial {
  readonly check: ConfigurationCheck;
  /** Undefined where these backends cannot be rendered. */
  readonly render: (backends: Decision['model']['backends']) => Rendered | undefined;
}

/**
 * The routes for which HAProxy refuses a configuration, each with its words, '' where there are none for its tenant. Where its words
 * name no route, the oldest routes are checked with ever more others, until the first is found that makes the difference. Empty where it
 * is none of them: a template, a setting, the machine.
 */
export async function findOffenders(
  { decision, text, detail }: Refused,
  { check, render }: Trial,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const { backends } = decision.model;
  const named = offendersIn(detail, text, backends);
  if (named.size > 0) return named;
  const created = new Map(decision.admission.admitted.map(({ key, route }) => [key, route.createdMs]));
  const byAge = backends.toSorted((a, b) => (created.get(a.key) ?? 0) - (created.get(b.key) ?? 0));
  const search = await firstRefused(byAge, async (some) => {
    const keys = new Set(some.map(({ key }) => key));
    const rendered = render(backends.filter(({ key }) => keys.has(key)));
    return rendered === undefined ? undefined : await isTaken(rendered, check, signal);
  });
  return search.kind === 'found' ? new Map([[search.item.key, firstWords(detail)]]) : new Map();
}

/** In a folder of its own: what is served and what lies beside it stay as they are. Undefined where that cannot be found out. */
async function isTaken(
  rendered: Rendered,
  check: ConfigurationCheck,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'hawser-router-'));
  try {
    await writeOut(folder, rendered);
    const outcome = await check(join(folder, MAIN_FILE), signal);
    return outcome.kind === 'impossible' ? undefined : outcome.kind === 'valid';
  } catch (error) {
    // It is to stop, or there is no room for the files.
    if (signal.aborted || codeOf(error) !== undefined) return undefined;
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
