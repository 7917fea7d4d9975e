import { type CostLevel, costLevels, type Effect } from '../../engine/reconcile/effect.ts';

interface ChangeCost {
  readonly level: CostLevel;
  /**
   * What becomes of the connections through this node. `drained`: they end by themselves, or at the end of that time. `cut`:
   * those through the VIP break off.
   */
  readonly fate: 'kept' | 'drained' | 'cut';
  readonly withinMs?: number;
}

/**
 * What a change costs the clients of this node, seen from this node alone: what its peers do at the same time is not
 * known. Whatever is said here was seen with real programs (test/integration/operate/plan).
 */
export function changeCost(effects: readonly Effect[], isRestart: boolean): ChangeCost {
  const levels = [isRestart ? 'restart' : 'nothing', ...effects.map(({ level }) => level)];
  const level = costLevels.findLast((each) => levels.includes(each)) ?? 'nothing';
  const ends = effects.flatMap(({ connections }) => connections ?? []);
  if (ends.includes('cut')) return { level, fate: 'cut', withinMs: 0 };
  const drains = ends.flatMap((end) => (end === 'cut' ? [] : end.endedWithinMs));
  if (drains.length === 0) return { level, fate: 'kept' };
  return { level, fate: 'drained', withinMs: Math.min(...drains) };
}
