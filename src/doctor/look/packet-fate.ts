import * as z from 'zod/mini';
import { matches, type Packet, type Statements } from './packet-match.ts';

/** `maybe` where a rule asks for something that is not known here, or is not understood. */
export interface Fate {
  readonly kind: 'accepted' | 'dropped' | 'maybe-dropped';
  /** The chain or rule that decides, as a person finds it: `ip filter INPUT`. */
  readonly by: string;
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
    const fate = walk(rules, chain, packet, 0);
    if (fate?.kind === 'dropped') return fate;
    if (fate?.kind === 'maybe-dropped') doubt ??= fate;
    if (fate === undefined && chain.policy === 'drop')
      return { kind: 'dropped', by: `the policy of ${nameOf(chain)}` };
  }
  return doubt ?? { kind: 'accepted', by: chains.map(nameOf).join(', ') };
}

/** Deeper than any ruleset that the kernel takes (16). */
const DEEPEST = 32;

/** Undefined where the chain comes to its end. An undecided drop is remembered and the walk goes on. */
function walk(rules: Ruleset, chain: Chain, packet: Packet, depth: number): Fate | undefined {
  if (depth > DEEPEST) return undefined;
  let doubt: Fate | undefined;
  const own = rules.flatMap(({ rule }) =>
    rule?.family === chain.family && rule.table === chain.table && rule.chain === chain.name
      ? [rule.expr]
      : [],
  );
  for (const statements of own) {
    const truth = matches(statements, packet);
    if (truth === 'no') continue;
    const fate = verdictOf(rules, chain, statements, packet, depth);
    if (fate === undefined) continue;
    if (fate === 'return') {
      if (truth === 'yes') return doubt;
      continue;
    }
    if (truth === 'yes' && fate.kind === 'dropped') return fate;
    if (truth === 'yes' && fate.kind === 'accepted') return doubt ?? fate;
    if (fate.kind !== 'accepted') doubt ??= { ...fate, kind: 'maybe-dropped' };
  }
  return doubt;
}

function verdictOf(
  rules: Ruleset,
  chain: Chain,
  statements: Statements,
  packet: Packet,
  depth: number,
): Fate | 'return' | undefined {
  for (const each of statements) {
    if ('drop' in each || 'reject' in each) return { kind: 'dropped', by: `a rule of ${nameOf(chain)}` };
    if ('accept' in each) return { kind: 'accepted', by: nameOf(chain) };
    if ('return' in each) return 'return';
    const target = targetOf(each['jump'] ?? each['goto']);
    const next = rules.find(
      (other) =>
        target !== undefined &&
        other.chain?.name === target &&
        other.chain.table === chain.table &&
        other.chain.family === chain.family,
    )?.chain;
    if (next !== undefined)
      return walk(rules, next, packet, depth + 1) ?? ('goto' in each ? 'return' : undefined);
  }
  return undefined;
}

function targetOf(value: unknown): string | undefined {
  const parsed = z.object({ target: z.string() }).safeParse(value);
  return parsed.success ? parsed.data.target : undefined;
}

function nameOf({ family, table, name }: Chain): string {
  return `${family} ${table} ${name}`;
}
