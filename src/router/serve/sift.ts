import type { CheckOutcome } from '../../engine/config/check.ts';

/** The result of a search for refused items. */
interface Sifted<T> {
  readonly taken: readonly T[];
  /** Each with its error. */
  readonly refused: ReadonlyMap<T, string>;
  /** Too many checks would have been necessary, or one could not be made. */
  readonly open: readonly T[];
}

/**
 * Searches refused items for acceptable ones: each half alone, with what was accepted before. Of two conflicting items the later one is refused.
 * One refused item among many costs at most twice as many validations as their number has binary digits. `detail` is the error about all. At
 * most `mostChecks` validations run.
 */
export async function sift<T>(
  items: readonly T[],
  detail: string,
  check: (items: readonly T[]) => Promise<CheckOutcome>,
  mostChecks: number,
): Promise<Sifted<T>> {
  const [taken, open]: [T[], T[]] = [[], []];
  const refused = new Map<T, string>();
  let checks = 0;
  const look = async (group: readonly T[]): Promise<void> => {
    if (group.length === 0) return;
    checks += 1;
    const outcome = checks > mostChecks ? undefined : await check([...taken, ...group]);
    if (outcome?.kind === 'valid') taken.push(...group);
    else if (outcome?.kind === 'invalid') await split(group, outcome.detail);
    else open.push(...group);
  };
  /** The group is known to be refused together with what is taken. */
  const split = async (group: readonly T[], said: string): Promise<void> => {
    const [first] = group;
    if (first !== undefined && group.length === 1) return void refused.set(first, said);
    const middle = Math.floor(group.length / 2);
    const before = taken.length;
    await look(group.slice(0, middle));
    const rest = group.slice(middle);
    await (taken.length === before + middle ? split(rest, said) : look(rest));
  };
  await split(items, detail);
  return { taken, refused, open };
}
