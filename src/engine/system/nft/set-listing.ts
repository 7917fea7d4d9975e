import * as z from 'zod/mini';
import { parseJson } from '../text/parse-json.ts';

const element = z.object({ concat: z.array(z.unknown()) });
const listing = z.object({
  nftables: z.array(
    z.looseObject({
      set: z.optional(z.looseObject({ name: z.string(), elem: z.optional(z.array(element)) })),
    }),
  ),
});

/** The elements of one set of fields, each a list of them, in what `nft -j list table` printed; none where it is something else. */
export function elementsOf(json: string, set: string): readonly (readonly unknown[])[] {
  const parsed = listing.safeParse(parseJson(json));
  if (!parsed.success) return [];
  return parsed.data.nftables
    .filter((entry) => entry.set?.name === set)
    .flatMap((entry) => entry.set?.elem ?? [])
    .map(({ concat }) => concat);
}
