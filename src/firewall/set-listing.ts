import * as z from 'zod/mini';

const concat = z.object({ concat: z.array(z.unknown()) });
/** With a timeout an element is wrapped once more. */
const element = z.union([concat, z.object({ elem: z.object({ val: concat }) })]);
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
    .map((each) => ('concat' in each ? each.concat : each.elem.val.concat));
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
