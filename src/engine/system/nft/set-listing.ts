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

/** The elements of one set in the output of `nft -j list table`, each as a list of fields; empty for other output. */
export function elementsOf(json: string, set: string): readonly (readonly unknown[])[] {
  const parsed = listing.safeParse(parseJson(json));
  if (!parsed.success) return [];
  return parsed.data.nftables
    .filter((entry) => entry.set?.name === set)
    .flatMap((entry) => entry.set?.elem ?? [])
    .map(({ concat }) => concat);
}
