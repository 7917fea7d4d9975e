import type { ForeignFile } from '../config/foreign-file.ts';
import type { ApplyOutcome } from '../config/outcome.ts';
import type { Observers } from './observers.ts';

/** How much of a program's message is logged. */
const LOGGED_CHARACTERS = 4_000;

/** Logs an outcome and its cause: every success, the first of equal failures, and the recovery. */
export function logOutcome(
  outcome: ApplyOutcome,
  facts: { readonly cause: string; readonly [fact: string]: unknown },
  { log, metrics, once }: Observers,
): void {
  const isChange = outcome.kind === 'reloaded' && outcome.atRunTime === true;
  metrics.applied(isChange ? 'changed' : outcome.kind);
  switch (outcome.kind) {
    case 'unchanged':
      if (once.clear('apply')) log({ event: 'configuration-recovered' });
      return;
    case 'reloaded': {
      const { kind: _kind, atRunTime, ...answer } = outcome;
      once.clear('apply');
      if (atRunTime === true) log({ ...answer, ...facts, event: 'configuration-changed' });
      else log({ ...answer, ...facts, event: 'configuration-reloaded' });
      return;
    }
    case 'rejected': {
      const { by, message } = outcome;
      const detail = outcome.detail.slice(-LOGGED_CHARACTERS);
      if (!once.isNew('apply', `${message}${detail}`)) return;
      log({ event: 'configuration-rejected', level: 'error', by, message, detail, cause: facts.cause });
      return;
    }
    case 'unreachable':
      if (once.isNew('apply', outcome.kind))
        log({ event: 'supervisor-unreachable', level: 'warn', message: outcome.message });
      return;
    case 'failed':
      if (once.isNew('apply', outcome.message))
        log({ event: 'configuration-not-applied', level: 'error', message: outcome.message });
      return;
    case 'superseded':
      log({ event: 'configuration-superseded', message: outcome.message });
      return;
  }
}

/** Returns a function that logs the replacement of a foreign file, which came from a package, a guide or an operator. */
export function logForeignFile({ log }: Pick<Observers, 'log'>): (foreign: ForeignFile) => void {
  return ({ path, copy }) => log({ event: 'foreign-configuration-replaced', level: 'warn', path, copy });
}
