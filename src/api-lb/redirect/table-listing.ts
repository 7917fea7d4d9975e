import * as z from 'zod/mini';
import { parseAddress } from '../../engine/system/network/node-address.ts';
import { parseJson } from '../../engine/system/text/parse-json.ts';
import { type Redirect, redirectedPorts } from './redirect.ts';

const address = z.tuple([
  z.object({ concat: z.tuple([z.string(), z.number()]) }),
  z.object({ concat: z.tuple([z.string(), z.number()]) }),
]);

const listingSchema = z.object({
  nftables: z.array(
    z.looseObject({
      map: z.optional(z.looseObject({ elem: z.optional(z.array(z.unknown())) })),
      chain: z.optional(z.looseObject({ name: z.string() })),
      rule: z.optional(z.looseObject({ chain: z.string() })),
    }),
  ),
});

export type TableListing = z.infer<typeof listingSchema>;

/** Parses the output of `nft -j list table`; undefined for anything else. */
export function parseTableListing(json: string): TableListing | undefined {
  return listingSchema.safeParse(parseJson(json)).data;
}

/**
 * Returns a canonical text of the listing: without the kernel's handles and nft's version, and with sorted map elements.
 * Everything else is kept, including the order of the rules.
 */
export function meaningOf(listing: TableListing): string {
  return JSON.stringify(listing.nftables.filter((entry) => !('metainfo' in entry)).map(canonical));
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(([key]) => key !== 'handle')
    .map(([key, field]) => [key, key === 'elem' ? sorted(canonical(field)) : canonical(field)]);
  return Object.fromEntries(entries);
}

function sorted(elements: unknown): unknown {
  return Array.isArray(elements) ? elements.map((each) => JSON.stringify(each)).sort() : elements;
}

/**
 * Whether the table redirects exactly these VIPs and ports. Compares only what every version of nft prints alike: the elements
 * of the maps, and the number of chains and rules. `meaningOf` covers the content of the rules.
 */
export function redirects(listing: TableListing, desired: Redirect): boolean {
  const ports = redirectedPorts(desired);
  const elements = listing.nftables
    .flatMap((entry) => entry.map?.elem ?? [])
    .map((element) => address.safeParse(element));
  const correct = elements.filter(({ success, data }) => {
    if (!success) return false;
    const [[vip, port], [target, targetPort]] = [data[0].concat, data[1].concat];
    const isDesired = desired.vips.some((each) => isSameAddress(each, vip));
    return isDesired && vip === target && ports.some(([from, to]) => port === from && targetPort === to);
  });
  const chains = listing.nftables.filter((entry) => entry.chain !== undefined).length;
  const rules = listing.nftables.filter((entry) => entry.rule !== undefined).length;
  const count = new Set(desired.vips).size * ports.length;
  return elements.length === count && correct.length === count && chains === 2 && rules === 4;
}

/** Compares parsed addresses, because versions of nft print IPv6 addresses differently. */
function isSameAddress(one: string, other: string): boolean {
  return one === other || (parseAddress(one)?.text ?? one) === parseAddress(other)?.text;
}
