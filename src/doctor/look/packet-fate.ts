import * as z from 'zod/mini';
import { isRejecting, matches, type Packet, type Statements } from './packet-match.ts';

export interface Fate {
  /** `maybe-dropped` where a rule that may decide asks for something that is not known here, or is not understood. */
  readonly kind: 'accepted' | 'dropped' | 'maybe-dropped';
  /** What decides: `the policy of ip filter INPUT`. */
  readonly by: string;
  /** Where a rule that lets the packet through would have to be: `ip filter INPUT`. */
  readonly chain: string;
}

const ruleset = z.object({
  nftables: z.array(
    z.looseObject({
      chain: z.optional(
        z.looseObject({
          family: z.string(),
          table: z.string(),
          name: z.string(),
          hook: z.optional(z.string()),
          type: z.optional(z.string()),
          prio: z.optional(z.number()),
          policy: z.optional(z.string()),
        }),
      ),
      rule: z.optional(
        z.looseObject({
          family: z.string(),
          table: z.string(),
          chain: z.string(),
          expr: z.array(z.record(z.string(), z.unknown())),
        }),
      ),
    }),
  ),
});

export type Ruleset = z.infer<typeof ruleset>['nftables'];
type Chain = NonNullable<Ruleset[number]['chain']>;

/** What `nft -j list ruleset` printed; undefined where it is something else. */
export function parseRuleset(json: string): Ruleset | undefined {
  try {
    return ruleset.parse(JSON.parse(json)).nftables;
  } catch {
    return undefined;
  }
}

/**
 * What becomes of a packet at one hook (`input`, `output`): it must be accepted by every base chain there, in the order
 * of their priorities. What iptables' own extensions ask for is not in nft's JSON: such a rule is undecided.
 */
export function fateOf(rules: Ruleset, hook: string, packet: Packet): Fate {
  const chains = rules
    .flatMap(({ chain }) => (chain?.hook === hook && chain.type === 'filter' ? [chain] : []))
    .filter(({ family }) => family === 'inet' || family === packet.family)
    .sort((a, b) => (a.prio ?? 0) - (b.prio ?? 0));
  let doubt: Fate | undefined;
  for (const chain of chains) {
    const fate = fateIn(rules, chain, packet);
    if (fate.kind === 'dropped') return fate;
    if (fate.kind === 'maybe-dropped') doubt ??= fate;
  }
  return doubt ?? { kind: 'accepted', by: chains.map(nameOf).join(', '), chain: '' };
}

/** What the undecided rules on the way might have done. */
interface Doubts {
  drop: Fate | undefined;
  escape: boolean;
}

function fateIn(rules: Ruleset, chain: Chain, packet: Packet): Fate {
  const doubts: Doubts = { drop: undefined, escape: false };
  const end = walk({ rules, packet, doubts }, chain, 0);
  const policy = { kind: 'dropped', by: `the policy of ${nameOf(chain)}`, chain: nameOf(chain) } as const;
  const final = end === 'through' && chain.policy === 'drop' ? policy : end;
  if (final === 'through' || final.kind === 'accepted')
    return doubts.drop ?? { kind: 'accepted', by: nameOf(chain), chain: '' };
  return doubts.escape ? { ...final, kind: 'maybe-dropped' } : final;
}

interface Walk {
  readonly rules: Ruleset;
  readonly packet: Packet;
  readonly doubts: Doubts;
}

/** Deeper than any ruleset that the kernel takes (16). */
const DEEPEST = 32;

/** The first rule that decides, or `through` where the chain comes to its end. */
function walk(way: Walk, chain: Chain, depth: number): Fate | 'through' {
  const { rules, packet, doubts } = way;
  const own = rules.flatMap(({ rule }) =>
    rule?.family === chain.family && rule.table === chain.table && rule.chain === chain.name
      ? [rule.expr]
      : [],
  );
  for (const statements of depth > DEEPEST ? [] : own) {
    const truth = matches(statements, packet);
    if (truth === 'no') continue;
    const end = verdictOf(way, chain, statements, depth);
    if (end === 'on') continue;
    if (truth === 'yes') return end;
    if (end !== 'through' && end.kind === 'dropped') doubts.drop ??= { ...end, kind: 'maybe-dropped' };
    else doubts.escape = true;
  }
  return 'through';
}

/** `through` is what `return` does: nothing more of this chain is asked. `on` is the next rule. */
function verdictOf(way: Walk, chain: Chain, statements: Statements, depth: number): Fate | 'through' | 'on' {
  const name = nameOf(chain);
  for (const each of statements) {
    if ('drop' in each || 'reject' in each || isRejecting(each['xt']))
      return { kind: 'dropped', by: `a rule of ${name}`, chain: name };
    if ('accept' in each) return { kind: 'accepted', by: name, chain: name };
    if ('return' in each) return 'through';
    const target = targetOf(each['jump'] ?? each['goto']);
    const next = way.rules.find(
      (other) =>
        target !== undefined &&
        other.chain?.name === target &&
        other.chain.table === chain.table &&
        other.chain.family === chain.family,
    )?.chain;
    if (next === undefined) continue;
    const end = walk(way, next, depth + 1);
    return end === 'through' && 'jump' in each ? 'on' : end;
  }
  return 'on';
}

function targetOf(value: unknown): string | undefined {
  const parsed = z.object({ target: z.string() }).safeParse(value);
  return parsed.success ? parsed.data.target : undefined;
}

function nameOf({ family, table, name }: Chain): string {
  return `${family} ${table} ${name}`;
}
