import * as z from 'zod/mini';
import { codeOf, messageOf } from '../errors.ts';
import { type CommandResult, runCommand } from '../process/run-command.ts';
import { parseJson } from '../text/parse-json.ts';

export interface NftOptions {
  readonly nft?: readonly [string, ...string[]];
  /** Default 10 s. nft waits while another program changes rules. */
  readonly timeoutMs?: number;
}

type NftOutcome =
  | { readonly ok: true; readonly stdout: string }
  | { readonly ok: false; readonly missingTable: boolean; readonly message: string };

/** Never rejects. */
type Nft = (args: readonly string[], input?: string) => Promise<NftOutcome>;

/** nft for one of hawser's tables, such as `netdev hawser_x`. Errors name the table. */
export function nftFor(table: string, { nft = ['nft'], timeoutMs = 10_000 }: NftOptions): Nft {
  return async (args, input) => {
    let result: CommandResult;
    try {
      const options = { timeoutMs, ...(input !== undefined && { input }) };
      result = await runCommand([...nft, ...args], options);
    } catch (error) {
      return failure(table, `"${nft.join(' ')}" cannot be run (${codeOf(error) ?? messageOf(error)})`, false);
    }
    if (result.exitCode === 0) return { ok: true, stdout: result.stdout };
    if (result.timedOut) return failure(table, `nft did not finish within ${timeoutMs} ms`, false);
    return failure(table, firstLine(result.stderr), /No such file or directory/.test(result.stderr));
  };
}

function failure(table: string, what: string, missingTable: boolean): NftOutcome {
  const message = `Cannot use nftables table "${table}": ${what}, expected nft with CAP_NET_ADMIN`;
  return { ok: false, missingTable, message };
}

function firstLine(stderr: string): string {
  return stderr.trim().split('\n')[0] ?? '';
}

const element = z.object({ concat: z.array(z.unknown()) });
const listing = z.object({
  nftables: z.array(
    z.looseObject({
      set: z.optional(z.looseObject({ name: z.string(), elem: z.optional(z.array(element)) })),
    }),
  ),
});

/** The elements of one set in the output of `nft -j list table`, each as a list of fields. Empty for other output. */
export function elementsOf(json: string, set: string): readonly (readonly unknown[])[] {
  const parsed = listing.safeParse(parseJson(json));
  if (!parsed.success) return [];
  return parsed.data.nftables
    .filter((entry) => entry.set?.name === set)
    .flatMap((entry) => entry.set?.elem ?? [])
    .map(({ concat }) => concat);
}
