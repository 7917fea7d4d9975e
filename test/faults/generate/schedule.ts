import { everyNode, type FaultName, kindOf } from './catalogue.ts';
import { type Random, seeded, seedOf } from './random.ts';

/** Which node a fault hits, by its role at the start of the episode. `backup-1` is the first backup by name. */
export const roles = ['holder', 'backup-1', 'backup-2'] as const;
export type Role = (typeof roles)[number];

/** When a fault that hits all nodes hits one of them. */
export interface Turn {
  readonly role: Role;
  readonly startMs: number;
}

export interface PlannedFault {
  /** `EPISODE.NUMBER`, both counted from 1. */
  readonly id: string;
  readonly name: FaultName;
  readonly variant: string;
  readonly role: Role;
  /** Counted from the start of the episode. */
  readonly startMs: number;
  readonly endMs: number;
  /** For a fault on all nodes: the nodes in order. The first is `role`, at `startMs`. */
  readonly turns?: readonly Turn[];
}

export interface Episode {
  readonly number: number;
  /** In order of their start. */
  readonly faults: readonly PlannedFault[];
}

const LATEST_START_MS = 3_000;
/** How many faults an episode may have. Nearly half have one, which shows best what a fault does on its own. */
const COUNTS = [1, 1, 1, 2, 2, 3, 4] as const;
/** Between the turns of two nodes. */
const LONGEST_GAP_MS = 3_000;
/** Cap for kinds with very many variants. */
const MOST_SHARES = 9;
const MOST_TRIES = 20;

/** One burst of faults that overlap at random. Determined entirely by the seed and the number. */
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
  // Kinds with many variants are picked more often, so that every variant gets its turn.
  const shares = names.flatMap((each) =>
    kindOf(each)
      .variants.slice(0, MOST_SHARES)
      .map(() => each),
  );
  const name = random.pick([...names, ...shares]);
  const { variants, lastsMs } = kindOf(name);
  const variant = random.pick(variants);
  // The holder is hit twice as often, because clients notice what happens to it.
  const role = random.pick<Role>(['holder', ...roles]);
  const startMs = isFirst ? 0 : random.below(LATEST_START_MS);
  if (variant === everyNode) {
    const turns = turnsOf(random, role, startMs);
    return { name, variant, role, startMs, endMs: turns.at(-1)?.startMs ?? startMs, turns };
  }
  return { name, variant, role, startMs, endMs: startMs + random.between(...lastsMs) };
}

/** All nodes, starting with this one. */
function turnsOf(random: Random, first: Role, firstMs: number): readonly Turn[] {
  const others = roles.filter((role) => role !== first);
  const second = random.pick(others);
  const turns: Turn[] = [{ role: first, startMs: firstMs }];
  for (const role of [second, ...others.filter((each) => each !== second)])
    turns.push({ role, startMs: (turns.at(-1)?.startMs ?? firstMs) + random.between(0, LONGEST_GAP_MS) });
  return turns;
}

/** Whether two faults cannot be distinguished afterwards, or undo each other. */
function clash(a: Omit<PlannedFault, 'id'>, b: Omit<PlannedFault, 'id'>): boolean {
  if (a.endMs < b.startMs || b.endMs < a.startMs) return false;
  const first = kindOf(a.name);
  const second = kindOf(b.name);
  if (first.place === 'network' && second.place === 'network') return true;
  if (a.turns !== undefined && b.turns !== undefined) return true;
  if (a.role !== b.role) return false;
  return (
    (a.name === b.name && a.variant === b.variant) || [first, second].some(({ alone }) => alone === true)
  );
}

export function formatEpisode({ number, faults }: Episode): string {
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)}`;
  const where = ({ role, turns }: PlannedFault) => turns?.map((turn) => turn.role).join(', ') ?? role;
  const one = (fault: PlannedFault) => {
    const { name, variant, startMs, endMs } = fault;
    return `${name} ${variant} (${where(fault)}) ${seconds(startMs)}${endMs > startMs ? `–${seconds(endMs)}` : ''} s`;
  };
  return `episode ${number}: ${faults.map(one).join('; ')}`;
}
