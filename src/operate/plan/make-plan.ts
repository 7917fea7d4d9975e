import type { NodeChange } from '../../cli/node-change.ts';
import type { SettingsReader } from '../../cli/settings-values.ts';
import { type HostFiles, hostFiles } from '../../engine/examine/host-files.ts';
import type { DryRun, ProposedFile } from '../../engine/reconcile/dry-run.ts';
import { ConfigError } from '../../engine/system/errors.ts';
import type { Installable } from '../install/effective-settings.ts';
import { unifiedDiff } from '../install/unified-diff.ts';
import { changeCost } from './change-cost.ts';
import { type DaemonSettings, daemonIn, settingsOfDaemons, settingsPathOf } from './daemon-settings.ts';
import { type Daemon, findDaemons } from './daemons.ts';
import { manifestChanges } from './manifest-changes.ts';
import type { PlanSettings } from './plan-settings.ts';
import type { PlannedProduct } from './planned-product.ts';
import type { PlanReport } from './report.ts';
import { restartsFor, withManifests } from './restarts.ts';
import { presentSettings, type ReadSettings, readAs } from './settings-files.ts';

/** Throws a ConfigError with every problem of the planned settings. */
export async function makePlan(
  asked: PlanSettings,
  products: readonly PlannedProduct[],
  { keys, readSettings }: { readonly keys: Installable['keys']; readonly readSettings: SettingsReader },
): Promise<PlanReport> {
  const root = asked.root.replace(/\/+$/, '') || '/';
  const files = hostFiles(root);
  const { daemons, others } = chosenDaemons(await findDaemons(files, products), asked);
  const { present, candidate, before } = settingsFor(asked, daemons, files, readSettings);
  const after = settingsOfDaemons(daemons, candidate?.file);
  const isCompared = asked.config !== undefined;
  const pods = products.flatMap((product) => product.pods);
  const compared = isCompared ? present?.text : undefined;
  const place = { root, instance: asked.instance };
  const manifests = await manifestChanges(place, candidate?.text, compared, { pods, keys });
  const ownRestarts = restartsFor(daemons, after, isCompared ? before : undefined, present);
  const restarts = withManifests(ownRestarts, manifests.changes);
  const found = await dryRunAll(products, {
    daemon: daemonIn(daemons, (before === undefined ? candidate : present)?.file, candidate?.file),
    restarts: new Set(restarts.map(({ container }) => container)),
    timeoutMs: asked.timeout,
  });
  const cost = changeCost(found.effects, restarts.length > 0);
  const isAny = found.files.some(({ state }) => state.kind === 'differs' || state.kind === 'not-served');
  const changes = isAny || restarts.length > 0 || manifests.changes.length > 0;
  return {
    v: 1,
    ...(asked.instance !== undefined && { instance: asked.instance }),
    verdict: verdictOf(found, changes),
    settings: candidate?.path ?? null,
    files: found.files.map(shownFile),
    manifests: manifests.changes.map(({ path, diff }) => ({ path, diff })),
    restarts: [...restarts],
    cost: {
      level: cost.level,
      effects: found.effects.map(({ kind, subject, says }) => ({ kind, subject: subject ?? null, says })),
      sessions: { now: found.sessions ?? null, fate: cost.fate, withinMs: cost.withinMs ?? null },
    },
    notes: [
      ...new Set([...found.files.flatMap(({ notes }) => notes.map(asOnNode)), ...manifests.notes, ...others]),
    ],
    unknowns: [...found.unknowns],
  };
}

/** Those that are planned together, and what is said of the others. */
function chosenDaemons(
  found: readonly Daemon[],
  { instance, config }: PlanSettings,
): { readonly daemons: readonly Daemon[]; readonly others: readonly string[] } {
  const daemons = found.filter((each) => each.instance === instance);
  if (daemons.length === 0)
    throw new ConfigError([
      instance === undefined
        ? 'Cannot plan: nothing of hawser runs here or is installed, expected its pods; see hawser install --dry-run'
        : `Cannot plan instance "${instance}": none of its programs runs here or has a manifest`,
    ]);
  if (instance !== undefined && config !== undefined && daemons.every((each) => !settingsPathOf(each)))
    throw new ConfigError([
      `Cannot plan instance "${instance}" with --config: it has no settings file, expected --settings among its arguments`,
    ]);
  const names = new Set(found.flatMap((each) => each.instance ?? []));
  const others = instance === undefined ? [...names] : [];
  return {
    daemons,
    others: others.map((name) => `instance ${name} has a plan of its own: hawser plan --instance ${name}`),
  };
}

async function dryRunAll(products: readonly PlannedProduct[], change: NodeChange): Promise<DryRun> {
  const found = await Promise.all(products.map(({ dryRun }) => dryRun(change)));
  return {
    files: found.flatMap(({ files }) => files),
    effects: found.flatMap(({ effects }) => effects),
    unknowns: found.flatMap(({ unknowns }) => unknowns),
    sessions: found.find(({ sessions }) => sessions !== undefined)?.sessions,
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
  files: HostFiles,
  readSettings: SettingsReader,
): Settings {
  const read = () => {
    const present = presentSettings(asked, daemons, files, readSettings);
    return { present, before: settingsOfDaemons(daemons, present?.file) };
  };
  if (asked.config === undefined) {
    const { present, before } = read();
    return { present, candidate: present, before };
  }
  const candidate = readAs(asked.config, asked.config, readSettings);
  try {
    return { ...read(), candidate };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { present: undefined, candidate, before: undefined };
  }
}

function verdictOf({ files, unknowns }: DryRun, changes: boolean): PlanReport['verdict'] {
  if (files.some(({ state }) => state.kind === 'refused')) return 'refused';
  if (unknowns.length > 0 || files.some(({ state }) => state.kind === 'unknown')) return 'unknown';
  return changes ? 'changes' : 'nothing';
}

function shownFile({ program, path, before, after, state }: ProposedFile): PlanReport['files'][number] {
  const diff = after === undefined ? '' : unifiedDiff(path, before, after);
  const problem = problemOf(state);
  return { program, path, state: state.kind, diff, problem: problem === null ? null : asOnNode(problem) };
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

/** A daemon's files have other paths for this process. */
function asOnNode(text: string): string {
  return text.replaceAll(/[^\s"]*\/proc\/\d+\/root(?=\/)/g, '');
}
