import { forgetTable, type NftOptions, nftFor } from '../../engine/system/nft/nft.ts';

/** One rule for what comes in on one interface, in nft's language. */
export interface IngressRule {
  readonly interface: string;
  readonly rule: string;
}

/** A table of ours that only looks: it is seen by every packet before any other rule may drop it. */
export interface IngressTable {
  /** Replaces the table in one transaction. Resolves with what went wrong. */
  readonly load: (sets: readonly string[], rules: readonly IngressRule[]) => Promise<string | undefined>;
  readonly list: () => Promise<
    { readonly kind: 'listed'; readonly json: string } | { readonly kind: 'failed'; readonly message: string }
  >;
  /** Empties these sets in one transaction. Resolves with what went wrong. */
  readonly flush: (sets: readonly string[]) => Promise<string | undefined>;
  /** Also removes the table of an earlier process; a missing table is not an error. Resolves with an error message. */
  readonly remove: () => Promise<string | undefined>;
}

export function createIngressTable(name: string, options: NftOptions = {}): IngressTable {
  const table = `netdev ${name}`;
  const nft = nftFor(table, options);
  const give = async (ruleset: string): Promise<string | undefined> => {
    const outcome = await nft(['-f', '-'], ruleset);
    return outcome.ok ? undefined : outcome.message;
  };
  return {
    load: (sets, rules) => give(ingressRuleset(table, sets, rules)),
    list: async () => {
      const outcome = await nft(['-j', 'list', 'table', 'netdev', name], undefined);
      return outcome.ok
        ? { kind: 'listed', json: outcome.stdout }
        : { kind: 'failed', message: outcome.message };
    },
    flush: (sets) => give(sets.map((set) => `flush set ${table} ${set}\n`).join('')),
    remove: () => give(forgetTable(table)),
  };
}

/** Replaces `netdev NAME` in one transaction. */
export function ingressRuleset(
  table: string,
  sets: readonly string[],
  rules: readonly IngressRule[],
): string {
  const devices = [...new Set(rules.map((each) => each.interface))];
  const chains = devices.flatMap((device, index) => [
    `chain device${index} {`,
    `type filter hook ingress device "${device}" priority -500; policy accept;`,
    ...rules.filter((each) => each.interface === device).map(({ rule }) => rule),
    '}',
  ]);
  return `${forgetTable(table)}table ${table} {\n${[...sets, ...chains].join('\n')}\n}\n`;
}
