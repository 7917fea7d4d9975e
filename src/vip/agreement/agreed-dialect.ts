import type { KeepalivedMonitorObservers } from '../settings/keepalived-monitor-metrics.ts';
import type { KeepalivedMonitorStatus } from '../settings/keepalived-monitor-status.ts';
import { readAgreementFile } from './agreement-file.ts';
import { type DialectFlags, firstDialect, writeDialectRecord } from './dialect-record.ts';
import {
  type Agreement,
  dialectText,
  nextStep,
  type PlannedChange,
  plannedChange,
  sameDialect,
  type VrrpDialect,
} from './vrrp-agreement.ts';

/** How this node takes part now. */
export interface TakingPart {
  readonly isHolder: boolean;
  /** Why keepalived would refuse a configuration in that dialect; undefined if it would accept it. */
  readonly refusal: (dialect: VrrpDialect) => Promise<string | undefined>;
}

interface AgreedDialect {
  readonly now: () => VrrpDialect;
  /**
   * Takes the interval that the group of a new node was heard to have, and resolves with whether it did. A node that was told
   * another one keeps it and warns.
   */
  readonly learn: (heardIntervalMs: number | undefined) => Promise<boolean>;
  /** The planned change and its time, for the status. */
  readonly planned: () => KeepalivedMonitorStatus['planned'];
  /**
   * Reads the agreement, checks the planned configuration well before its time, reports it, and switches when the time
   * has come, on some nodes in two steps. A node that does not take part yet starts with the agreed dialect at once. Never rejects.
   */
  readonly switchIfDue: (
    part: TakingPart | undefined,
  ) => Promise<{ readonly changed: boolean; readonly lookAgainInMs: number | undefined }>;
}

const DIFFERS =
  'The group sends its adverts at another interval than this node was told: expected one on all nodes; advertInterval in the agreement file changes it on all of them at one time (docs/upgrade.md)';

/**
 * The dialect of the flags, until the time at which all nodes switch to the one in the agreement file. `remember` keeps
 * the one that is used for the next start.
 */
export function createAgreedDialect(
  settings: Omit<DialectFlags, 'advertIntervalMs'> & {
    readonly advertInterval?: number | undefined;
    readonly monitorConf: readonly string[];
    readonly config: string;
  },
  observers: KeepalivedMonitorObservers,
  remember: typeof writeDialectRecord = writeDialectRecord,
): AgreedDialect {
  const { profile, mode, advertInterval: advertIntervalMs } = settings;
  const flags: DialectFlags = { profile, mode, advertIntervalMs };
  const recordPath = `${settings.config}.agreed`;
  const first = firstDialect(recordPath, flags);
  const agreed = createAgreementReader(settings.monitorConf, observers);
  const plans = createPlanReporter(observers);
  let current = first.dialect;
  let isNew = first.isNew;
  let isUntold = first.isIntervalUntold;
  if (!sameDialect(current, { ...flags, advertIntervalMs: advertIntervalMs ?? current.advertIntervalMs }))
    observers.log({ event: 'profile-as-before', ...current, flags, path: recordPath });

  const adopt = async (dialect: VrrpDialect): Promise<void> => {
    current = dialect;
    isNew = false;
    observers.metrics.dialect(current);
    await remember(recordPath, { flags, dialect: current, isIntervalUntold: isUntold }, observers);
  };
  return {
    now: () => current,
    planned: () => plans.view(current),
    learn: async (heardIntervalMs) => {
      if (heardIntervalMs === undefined || current.profile !== 'fast') return false;
      const isOther = heardIntervalMs !== current.advertIntervalMs;
      const intervals = { intervalMs: current.advertIntervalMs, heardIntervalMs };
      if (isOther && !isUntold && observers.once.isNew('advert-interval', `${heardIntervalMs}`))
        observers.log({ event: 'advert-interval-differs', level: 'warn', ...intervals, message: DIFFERS });
      if (!isOther || !isUntold) return false;
      isUntold = false;
      observers.log({ event: 'advert-interval-adopted', ...intervals });
      await adopt({ ...current, advertIntervalMs: heardIntervalMs });
      return true;
    },
    switchIfDue: async (part) => {
      const agreement = await agreed();
      const plan = agreement === undefined ? undefined : plannedChange(current, agreement, isNew);
      const refusal = plan === undefined ? undefined : await part?.refusal(plan.dialect);
      plans.report(current, plan, refusal);
      if (plan === undefined || refusal !== undefined) {
        if (isNew) await adopt(current);
        return { changed: false, lookAgainInMs: undefined };
      }
      const step = part ? nextStep(part.isHolder, current, plan.dialect) : { ...plan, lagMs: 0 };
      const leftMs = plan.atMs + step.lagMs - Date.now();
      if (leftMs > 0) {
        if (isNew) await adopt(current);
        return { changed: false, lookAgainInMs: leftMs };
      }
      const facts = { from: current, to: step.dialect, at: shown(plan), lagMs: step.lagMs };
      observers.log({ event: 'profile-changed', ...facts, lateMs: Math.round(-leftMs) });
      isUntold = false;
      await adopt(step.dialect);
      plans.done();
      return { changed: part !== undefined, lookAgainInMs: undefined };
    },
  };
}

/** Reads the agreement file. While the file is unusable, the last usable agreement stays in force. */
function createAgreementReader(
  paths: readonly string[],
  { log, metrics, once }: KeepalivedMonitorObservers,
): () => Promise<Agreement | undefined> {
  let known: Agreement | undefined;
  return async () => {
    const file = await readAgreementFile(paths);
    metrics.agreementUsable(file.kind !== 'unusable');
    if (file.kind === 'unusable') {
      if (once.isNew('agreement', file.message))
        log({ event: 'agreement-unusable', level: 'error', path: file.path, message: file.message });
      return known;
    }
    if (once.clear('agreement')) log({ event: 'agreement-usable' });
    if (file.kind === 'none') {
      if (known !== undefined) log({ event: 'agreement-gone', level: 'warn', paths });
      known = undefined;
    } else known = sameWords(known, file.agreement) ? known : file.agreement;
    return known;
  };
}

/** Rewriting the file with the same content is not a new agreement: the time of its first arrival counts. */
function sameWords(known: Agreement | undefined, next: Agreement): boolean {
  const { mode, profile, advertIntervalMs, atMs } = next;
  const isSameDialect = known?.mode === mode && known?.profile === profile;
  return isSameDialect && known?.advertIntervalMs === advertIntervalMs && known?.atMs === atMs;
}

interface PlanReporter {
  readonly report: (from: VrrpDialect, plan: PlannedChange | undefined, refusal: string | undefined) => void;
  /** The change was carried out. */
  readonly done: () => void;
  readonly view: (from: VrrpDialect) => KeepalivedMonitorStatus['planned'];
}

function createPlanReporter({ log, metrics }: KeepalivedMonitorObservers): PlanReporter {
  let told: string | undefined;
  let known: { readonly plan: PlannedChange; readonly refusal: string | undefined } | undefined;
  return {
    report: (from, plan, message) => {
      known = plan && { plan, refusal: message };
      metrics.planned(plan?.atMs, message !== undefined);
      const key = plan && JSON.stringify([plan, message]);
      if (key === told) return;
      told = key;
      if (plan === undefined) {
        log({ event: 'profile-change-cancelled', stays: from });
        return;
      }
      const facts = { from, to: plan.dialect, at: shown(plan) };
      if (message === undefined) log({ event: 'profile-change-planned', ...facts });
      else log({ event: 'profile-change-refused', level: 'error', ...facts, message });
    },
    done: () => {
      metrics.planned(undefined, false);
      told = undefined;
      known = undefined;
    },
    view: (from) => {
      if (known === undefined) return null;
      const { dialect, atMs } = known.plan;
      const change = `${dialectText(from)} to ${dialectText(dialect)}`;
      return { change, inMs: Math.max(0, atMs - Date.now()), refused: known.refusal ?? null };
    },
  };
}

function shown({ atMs }: PlannedChange): string {
  return new Date(atMs).toISOString();
}
