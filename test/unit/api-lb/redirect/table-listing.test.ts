import { describe, expect, it } from 'vitest';
import {
  meaningOf,
  parseTableListing,
  redirects,
  type TableListing,
} from '../../../../src/api-lb/redirect/table-listing.ts';

const wanted = { vips: ['10.0.0.100'], apiPort: 6443, lbPort: 9445 };
const element = (vip: string, port = 6443, target = 9445) => [
  { concat: [vip, port] },
  { concat: [vip, target] },
];
const rule = (handle: number, expr = 'the rule') => ({ rule: { chain: 'output', handle, expr } });

function listing(elements: readonly unknown[], more: readonly unknown[] = []): TableListing {
  const nftables = [
    { metainfo: { version: '1.0.6' } },
    { map: { name: 'vip4', handle: 1, elem: elements } },
    { chain: { name: 'prerouting' } },
    { chain: { name: 'output' } },
    ...[1, 2, 3, 4].map((handle) => rule(handle)),
    ...more,
  ];
  const parsed = parseTableListing(JSON.stringify({ nftables }));
  if (parsed === undefined) throw new Error('not a listing');
  return parsed;
}

describe('the canonical text of a listing', () => {
  it('does not depend on handles, on the version or on the order of elements', () => {
    const one = meaningOf(listing([element('10.0.0.100'), element('10.0.0.101')], [rule(5)]));
    const other = meaningOf(listing([element('10.0.0.101'), element('10.0.0.100')], [rule(99)]));
    expect(one).toBe(other);
  });

  it('depends on the rules and on the elements', () => {
    const one = meaningOf(listing([element('10.0.0.100')], [rule(5)]));
    expect(meaningOf(listing([element('10.0.0.100')], [rule(5, 'another')]))).not.toBe(one);
    expect(meaningOf(listing([element('10.0.0.101')], [rule(5)]))).not.toBe(one);
  });

  it('is undefined for text that nft never prints', () => {
    expect(parseTableListing('')).toBeUndefined();
    expect(parseTableListing('{"nftables":1}')).toBeUndefined();
  });
});

describe('a table that redirects exactly the desired VIPs', () => {
  it('has one element for each VIP, two chains and four rules', () => {
    expect(redirects(listing([element('10.0.0.100')]), wanted)).toBe(true);
  });

  it('has an element for each extra port of each VIP', () => {
    const more = { ...wanted, extraPorts: [{ port: 9345, listenPort: 19_345 }] };
    const both = listing([element('10.0.0.100'), element('10.0.0.100', 9345, 19_345)]);
    expect(redirects(both, more)).toBe(true);
    expect(redirects(both, wanted)).toBe(false);
    expect(redirects(listing([element('10.0.0.100')]), more)).toBe(false);
  });

  it.each([
    ['an element is missing', listing([])],
    ['an element is too many', listing([element('10.0.0.100'), element('10.0.0.101')])],
    ['it is another VIP', listing([element('10.0.0.99')])],
    ['it leads to another port', listing([element('10.0.0.100', 6443, 1)])],
    ['it starts at another port', listing([element('10.0.0.100', 1)])],
    ['a rule is too many', listing([element('10.0.0.100')], [rule(9)])],
    ['an element is something else', listing(['10.0.0.100'])],
  ])('an nftables table is not ours when %s', (_what, table) => {
    expect(redirects(table, wanted)).toBe(false);
  });
});
