import { hostFiles } from '../../engine/examine/host-files.ts';
import { ConfigError } from '../../engine/system/errors.ts';
import { unifiedDiff } from '../install/unified-diff.ts';
import { type ChangeCost, changeCost } from './change-cost.ts';
import { type DaemonSettings, settingsOfDaemons } from './daemon-settings.ts';
import { type Daemon, findDaemons } from './daemons.ts';
import { effectText, subjectOf } from './effect-text.ts';
import { manifestChanges } from './manifest-changes.ts';
import type { PlanSettings } from './plan-settings.ts';
import { proposeFiles } from './propose-files.ts';
import { proposedChange } from './proposed-change.ts';
import type { ProposedFile } from './proposed-file.ts';
import type { PlanReport } from './report.ts';
import { restartsFor, withManifests } from './restarts.ts';
import { presentSettings, type ReadSettings, readAs } from './settings-files.ts';

/** Throws a ConfigError with every problem of the planned settings. */
export async function makePlan(asked: PlanSettings): Promise<PlanReport> {
  const root = asked.root.replace(/\/+$/, '') || '/';
  const files = hostFiles(root);
  const daemons = await findDaemons(files);
  if (daemons.length === 0)
    throw new ConfigError([
      'Cannot plan: nothing of hawser runs here or is installed, expected its pods; see hawser install --dry-run',
    ]);
  const { present, candidate, before } = settingsFor(asked, daemons, files);
  const after = settingsOfDaemons(daemons, candidate?.file);
  const { changes: manifests, notes } = await manifestChanges(
    root,
    candidate?.text,
    asked.config === undefined ? undefined : present?.text,
  );
  const ownRestarts = restartsFor(daemons, after, asked.config === undefined ? undefined : before, present);
  const restarts = withManifests(ownRestarts, manifests);
  const found = await proposeFiles({ daemons, before: before ?? after, after, timeoutMs: asked.timeout });
  const cost = changeCost(proposedChange(found, { before: before ?? after, after, restarts }));
  const isAny = found.files.some(({ state }) => state.kind === 'differs' || state.kind === 'not-served');
  const changes = isAny || restarts.length > 0 || manifests.length > 0;
  return {
    v: 1,
    verdict: verdictOf(found.files, found.unknowns, changes),
    settings: candidate?.path ?? null,
    files: found.files.map(shownFile),
    manifests: manifests.map(({ path, diff }) => ({ path, diff })),
    restarts: [...restarts],
    cost: shownCost(cost),
    notes: [...new Set([...found.notes, ...notes])],
    unknowns: [...found.unknowns],
  };
}

interface Settings {
  /** What the daemons read when they start now. */
  readonly present: ReadSettings | undefined;
  /** The planned settings. */
  readonly candidate: ReadSettings | undefined;
  /** Undefined if the current file is broken. */
  readonly before: DaemonSettings | undefined;
}

/** A broken current file does not prevent planning: the candidate may repair it. */
function settingsFor(
  asked: PlanSettings,
  daemons: readonly Daemon[],
  files: ReturnType<typeof hostFiles>,
): Settings {
  const read = () => {
    const present = presentSettings(asked.settings, daemons, files);
    return { present, before: settingsOfDaemons(daemons, present?.file) };
  };
  if (asked.config === undefined) {
    const { present, before } = read();
    return { present, candidate: present, before };
  }
  const candidate = readAs(asked.config, asked.config);
  try {
    return { ...read(), candidate };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { present: undefined, candidate, before: undefined };
  }
}

function verdictOf(
  files: readonly ProposedFile[],
  unknowns: readonly string[],
  changes: boolean,
): PlanReport['verdict'] {
  if (files.some(({ state }) => state.kind === 'refused')) return 'refused';
  if (unknowns.length > 0 || files.some(({ state }) => state.kind === 'unknown')) return 'unknown';
  return changes ? 'changes' : 'nothing';
}

function shownFile({ program, path, before, after, state }: ProposedFile): PlanReport['files'][number] {
  const diff = after === undefined ? '' : unifiedDiff(path, before, after);
  return { program, path, state: state.kind, diff, problem: problemOf(state) };
}

function problemOf(state: ProposedFile['state']): string | null {
  switch (state.kind) {
    case 'refused':
      return `${state.message}\n${state.detail}`.trim();
    case 'unknown':
      return state.reason;
    case 'same':
    case 'differs':
    case 'not-served':
      return null;
  }
}

function shownCost({ level, effects, sessions }: ChangeCost): PlanReport['cost'] {
  return {
    level,
    effects: effects.map((effect) => ({
      kind: effect.kind,
      subject: subjectOf(effect),
      says: effectText(effect),
    })),
    sessions: { now: sessions.now ?? null, fate: sessions.fate, withinMs: sessions.withinMs ?? null },
  };
}
