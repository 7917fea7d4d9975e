import { type FaultName, kindOf } from './catalogue.ts';
import { type Random, seeded, seedOf } from './random.ts';

/** Which node a fault hits, by what it was as the episode began: `backup-1` is the first other one by name. */
export const roles = ['holder', 'backup-1', 'backup-2'] as const;
export type Role = (typeof roles)[number];

export interface PlannedFault {
  /** `EPISODE.NUMBER`, from 1 each. */
  readonly id: string;
  readonly name: FaultName;
  readonly variant: string;
  readonly role: Role;
  /** From the beginning of the episode. */
  readonly startMs: number;
  readonly endMs: number;
}

export interface Episode {
  readonly number: number;
  /** In order of their beginning. */
  readonly faults: readonly PlannedFault[];
}

const LATEST_START_MS = 3_000;
/** How many faults an episode may have: half of them have one, which tells best what a fault does by itself. */
const COUNTS = [1, 1, 1, 2, 2, 3, 4] as const;
/** Of a kind with very many variants. */
const MOST_SHARES = 9;
const MOST_TRIES = 20;

/** One burst of faults that overlap as chance has it. The seed and the number decide all of it. */
export function planEpisode(seed: number, number: number, names: readonly FaultName[]): Episode {
  const random = seeded(seedOf(seed, number));
  const count = random.pick(COUNTS);
  const faults: Omit<PlannedFault, 'id'>[] = [];
  for (let attempt = 0; faults.length < count && attempt < MOST_TRIES; attempt += 1) {
    const fault = planFault(random, names, faults.length === 0);
    if (!faults.some((other) => clash(fault, other))) faults.push(fault);
  }
  const inOrder = faults.toSorted((a, b) => a.startMs - b.startMs);
  return { number, faults: inOrder.map((fault, index) => ({ id: `${number}.${index + 1}`, ...fault })) };
}

function planFault(random: Random, names: readonly FaultName[], isFirst: boolean): Omit<PlannedFault, 'id'> {
  // Kinds with many variants more often, so that each variant has its turn.
  const shares = names.flatMap((each) =>
    kindOf(each)
      .variants.slice(0, MOST_SHARES)
      .map(() => each),
  );
  const name = random.pick([...names, ...shares]);
  const { variants, lastsMs } = kindOf(name);
  const variant = random.pick(variants);
  // The holder twice as often: what happens to it is what clients notice.
  const role = random.pick<Role>(['holder', ...roles]);
  const startMs = isFirst ? 0 : random.below(LATEST_START_MS);
  return { name, variant, role, startMs, endMs: startMs + random.between(...lastsMs) };
}

/** Two that cannot be told apart afterwards, or of which one would undo the other. */
function clash(a: Omit<PlannedFault, 'id'>, b: Omit<PlannedFault, 'id'>): boolean {
  if (a.endMs < b.startMs || b.endMs < a.startMs) return false;
  const [first, second] = [kindOf(a.name), kindOf(b.name)];
  if (first.place === 'network' && second.place === 'network') return true;
  if (a.role !== b.role) return false;
  return (
    (a.name === b.name && a.variant === b.variant) || [first, second].some(({ alone }) => alone === true)
  );
}

export function formatEpisode({ number, faults }: Episode): string {
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)}`;
  const one = ({ name, variant, role, startMs, endMs }: PlannedFault) =>
    `${name} ${variant} (${role}) ${seconds(startMs)}${endMs > startMs ? `–${seconds(endMs)}` : ''} s`;
  return `episode ${number}: ${faults.map(one).join('; ')}`;
}
