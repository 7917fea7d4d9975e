import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { TTL_SECONDS } from './target.ts';

/** What ListResourceRecordSets answers, as far as one A record is concerned. */
export const recordSets = z.object({
  ResourceRecordSets: z.array(
    z.object({
      Name: z.string(),
      Type: z.string(),
      TTL: z.optional(z.number()),
      SetIdentifier: z.optional(z.string()),
      AliasTarget: z.optional(z.object({ DNSName: z.optional(z.string()) })),
      ResourceRecords: z.optional(z.array(z.object({ Value: z.string() }))),
    }),
  ),
});

export type Verdict =
  | { readonly kind: 'right' | 'different' }
  /** It is more than addresses, and would be lost. */
  | { readonly kind: 'foreign'; readonly what: string };

/** Compares existing and wanted records, in any order. Records of another name or type are ignored. */
export function verdictOn(
  { ResourceRecordSets }: z.infer<typeof recordSets>,
  name: string,
  addresses: readonly string[],
): Verdict {
  const found = ResourceRecordSets.find(
    ({ Name, Type }) => Type === 'A' && Name.toLowerCase().replace(/\.$/, '') === name,
  );
  if (found === undefined) return { kind: 'different' };
  if (found.AliasTarget !== undefined)
    return { kind: 'foreign', what: `an alias of ${found.AliasTarget.DNSName}` };
  if (found.SetIdentifier !== undefined)
    return { kind: 'foreign', what: `one of a routing policy ("${found.SetIdentifier}")` };
  const values = (found.ResourceRecords ?? []).map(({ Value }) => Value).toSorted();
  const isRight = found.TTL === TTL_SECONDS && isDeepStrictEqual(values, addresses.toSorted());
  return { kind: isRight ? 'right' : 'different' };
}
