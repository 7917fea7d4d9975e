import { expect, test } from 'vitest';
import { fateOf, parseRuleset } from '../../../src/doctor/look/packet-fate.ts';

const protocol = { match: { op: '==', left: { meta: { key: 'l4proto' } }, right: 'vrrp' } };

/** Rules that `iptables-nft` made, as `nft -j` shows them: extensions are there by name only. */
function fate(...rules: readonly (readonly object[])[]) {
  const chain = {
    family: 'ip',
    table: 'filter',
    name: 'INPUT',
    type: 'filter',
    hook: 'input',
    prio: 0,
    policy: 'accept',
  };
  const listed = rules.map((expr) => ({ rule: { family: 'ip', table: 'filter', chain: 'INPUT', expr } }));
  const ruleset = parseRuleset(JSON.stringify({ nftables: [{ chain }, ...listed] }));
  if (ruleset === undefined) throw new Error('no ruleset');
  const packet = {
    family: 'ip',
    protocol: 112,
    source: '10.0.0.12',
    destination: undefined,
    device: 'eth0',
  } as const;
  return fateOf(ruleset, 'input', packet);
}

test.each([
  ['a rejecting target', [[protocol, { xt: { type: 'target', name: 'REJECT' } }]], 'dropped'],
  ['a comment on a dropping rule', [[{ xt: { type: 'match', name: 'comment' } }, { drop: null }]], 'dropped'],
  ['another target', [[protocol, { xt: { type: 'target', name: 'TRACE' } }]], 'accepted'],
  ['a match that is not shown', [[{ xt: { type: 'match', name: 'u32' } }, { drop: null }]], 'maybe-dropped'],
  ['an extension without a name', [[{ xt: null }, { drop: null }]], 'maybe-dropped'],
])('iptables: %s', (_, rules, kind) => {
  expect(fate(...rules).kind).toBe(kind);
});

test('what decides is named so that it can be found and preceded', () => {
  expect(fate([protocol, { drop: null }])).toEqual({
    kind: 'dropped',
    by: 'a rule of ip filter INPUT',
    chain: 'ip filter INPUT',
  });
});

test('what is no ruleset is none', () => {
  expect(parseRuleset('Warning: table ip filter is managed by iptables-nft')).toBeUndefined();
});
