import type { Entry } from '../record/history.ts';
import { othersAreSpared, sameInputSameBytes } from './configurations.ts';
import { generationsAreBounded, newestIsServed } from './generations.ts';
import { movesAreCaused } from './moves.ts';
import { noConnectionLost } from './no-loss.ts';
import { nothingLeft } from './nothing-left.ts';
import { oneHolder } from './one-holder.ts';
import { serviceIsBack } from './service.ts';
import { statesAgree } from './states-agree.ts';
import type { Verdict } from './verdict.ts';
import { viewOf } from './view.ts';

const validators = [
  ...[oneHolder, statesAgree, serviceIsBack, movesAreCaused],
  ...[noConnectionLost, generationsAreBounded, newestIsServed, sameInputSameBytes, othersAreSpared],
  nothingLeft,
] as const;

/** Every validator's verdict on a history, recorded or synthetic. */
export function judge(entries: readonly Entry[]): readonly Verdict[] {
  const view = viewOf(entries);
  return validators.map((validate) => validate(view));
}
