/** Seeded random numbers: the same seed gives the same numbers on every machine. */
export interface Random {
  /** An integer in `[0, count)`. */
  below(count: number): number;
  /** An integer in `[from, to]`. */
  between(from: number, to: number): number;
  /** Throws if the list is empty. */
  pick<T>(list: readonly T[]): T;
}

/** mulberry32. Its 32-bit state is plenty for the faults of one episode. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number): number => Math.floor(next() * count);
  return {
    below,
    between: (from, to) => from + below(to - from + 1),
    pick: (list) => {
      const picked = list[below(list.length)];
      if (picked === undefined) throw new Error('Cannot pick from an empty list');
      return picked;
    },
  };
}

/** A separate seed for each part of a run, so that a part can be repeated without the parts before it. */
export function seedOf(seed: number, part: number): number {
  return (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(part + 1, 0xc2b2ae35)) >>> 0;
}
