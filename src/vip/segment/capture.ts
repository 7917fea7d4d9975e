import { forgetTable } from '../../engine/system/nft/forget-table.ts';
import { type NftOptions, nftFor } from '../../engine/system/nft/nft.ts';

/** One rule for what comes in on one interface, in nft's language. */
export interface IngressRule {
  readonly interface: string;
  readonly rule: string;
}

/** What is noted of each of `W`, in nft's language, and how it is read. */
export interface CaptureForm<W, N> {
  /** Definitions by name. */
  readonly sets: (watched: readonly W[]) => Readonly<Record<string, string>>;
  readonly rules: (watched: readonly W[]) => readonly IngressRule[];
  /** Reads what `nft -j list table` prints. */
  readonly parse: (json: string, watched: readonly W[]) => N;
}

/** A table of ours in which the kernel notes what comes in. It only looks: it is seen by every packet before any other rule may drop it. */
export interface Capture<W, N> {
  /** Notes these from now on, and forgets all else. Resolves with an error message. */
  readonly set: (watched: readonly W[]) => Promise<string | undefined>;
  /** What was noted since the last `set` or `flush`, however late it is read. */
  readonly read: () => Promise<
    { readonly kind: 'read'; readonly noted: N } | { readonly kind: 'failed'; readonly message: string }
  >;
  /** Empties the sets that `which` names. Resolves with an error message. */
  readonly flush: (which: (set: string) => boolean) => Promise<string | undefined>;
  /** Also the table of an earlier process; a missing one is not an error. Resolves with an error message. */
  readonly remove: () => Promise<string | undefined>;
}

export function createCapture<W, N>(
  name: string,
  form: CaptureForm<W, N>,
  options: NftOptions = {},
): Capture<W, N> {
  const table = `netdev ${name}`;
  const nft = nftFor(table, options);
  let watched: readonly W[] = [];
  const give = async (ruleset: string): Promise<string | undefined> => {
    const outcome = await nft(['-f', '-'], ruleset);
    return outcome.ok ? undefined : outcome.message;
  };
  return {
    set: (wanted) => {
      watched = wanted;
      return give(captureRuleset(table, form, wanted));
    },
    read: async () => {
      const outcome = await nft(['-j', 'list', 'table', 'netdev', name], undefined);
      return outcome.ok
        ? { kind: 'read', noted: form.parse(outcome.stdout, watched) }
        : { kind: 'failed', message: outcome.message };
    },
    flush: (which) => {
      const sets = Object.keys(form.sets(watched)).filter(which);
      return give(sets.map((set) => `flush set ${table} ${set}\n`).join(''));
    },
    remove: () => give(forgetTable(table)),
  };
}

/** The same as text, for a program that runs nft by itself: it replaces the table, `netdev NAME`, in one transaction. */
export function captureRuleset<W, N>(table: string, form: CaptureForm<W, N>, watched: readonly W[]): string {
  const sets = Object.entries(form.sets(watched)).map(
    ([name, definition]) => `set ${name} { ${definition} }`,
  );
  const rules = form.rules(watched);
  const devices = [...new Set(rules.map((each) => each.interface))];
  const chains = devices.flatMap((device, index) => [
    `chain device${index} {`,
    `type filter hook ingress device "${device}" priority -500; policy accept;`,
    ...rules.filter((each) => each.interface === device).map(({ rule }) => rule),
    '}',
  ]);
  return `${forgetTable(table)}table ${table} {\n${[...sets, ...chains].join('\n')}\n}\n`;
}
