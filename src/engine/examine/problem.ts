import { ageText, printable } from '../system/text/readable-text.ts';
import { type Change, type Failures, isDone } from './section.ts';

/** The severity: the order in which problems are listed. */
const ranks = {
  /** Clients get no answer, or the wrong one. */
  outage: 0,
  /** This node would not take over. */
  'out-of-group': 1,
  /** A part of hawser is dead; the program it manages still runs. */
  program: 2,
  /** Redundancy is reduced. */
  redundancy: 3,
  /** A change did not arrive. */
  change: 4,
  /** Something could not be read, or is out of date. */
  blind: 5,
} as const;

type Rank = keyof typeof ranks;

export interface Problem {
  readonly rank: Rank;
  readonly text: string;
}

export function problem(rank: Rank, text: string): Problem {
  return { rank, text: printable(text) };
}

/** Drops falsy entries, so that a list can contain `condition && problem(…)`. */
export function problemsAmong(all: readonly (Problem | false | undefined)[]): readonly Problem[] {
  return all.filter((each) => each !== undefined && each !== false);
}

export function worstFirst(problems: readonly Problem[]): readonly Problem[] {
  return problems.toSorted((a, b) => ranks[a.rank] - ranks[b.rank]);
}

/** Why a supervisor cannot do its work. */
export function troubleProblem(supervisor: string, trouble: string | undefined): Problem | false {
  return trouble !== undefined && problem('program', `${supervisor}: ${trouble}`);
}

/** A configuration that its supervisor refused or could not check. */
export function failureProblem(program: string, failure: Failures['lastFailure']): Problem | false {
  if (failure === null) return false;
  const { agoMs, stage, message } = failure;
  const what = stage === 'unchecked' ? 'not checked' : 'refused';
  return problem(
    'change',
    `${program}'s configuration was ${what} ${ageText(agoMs)} ago at "${stage}": ${message}`,
  );
}

/** A configuration that its monitor could not apply. */
export function changeProblem(file: string, change: Change | null): Problem | false {
  if (change === null || isDone(change)) return false;
  const { cause, result, message = '', agoMs } = change;
  return problem('change', `${file}: change (${cause}) ${result} ${ageText(agoMs)} ago: ${message}`);
}
