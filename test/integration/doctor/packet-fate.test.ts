import { afterAll, beforeAll, expect, test } from 'vitest';
import { fateOf, parseRuleset } from '../../../src/doctor/look/packet-fate.ts';
import { createNetNamespace, type NetNamespace } from '../../helpers/net-namespace.ts';

let namespace: NetNamespace;
beforeAll(async () => {
  namespace = await createNetNamespace();
});
afterAll(() => namespace.remove());

/** What becomes of an advert from 10.0.0.12 on eth0, by rules as the kernel shows them. */
async function fate(ruleset: string) {
  await namespace.run('nft', `flush ruleset\n${ruleset}\n`);
  const rules = parseRuleset(await namespace.run('nft', '-j', 'list', 'ruleset'));
  if (rules === undefined) throw new Error('no ruleset');
  const packet = {
    family: 'ip',
    protocol: 112,
    source: '10.0.0.12',
    destination: undefined,
    device: 'eth0',
  } as const;
  return fateOf(rules, 'input', packet).kind;
}

const input = (rules: string, policy = 'drop'): string =>
  `table inet f {
set nodes { type ipv4_addr; elements = { 10.0.0.12 }; }
chain other { ip protocol 112 ip saddr 10.0.0.0/24 accept; }
chain strict { counter drop; }
chain in { type filter hook input priority 0; policy ${policy};
${rules}
}
}`;

test.each([
  ['no rules at all', '', 'accepted'],
  ['a policy', input(''), 'dropped'],
  ['connections that are known', input('ct state established,related accept'), 'dropped'],
  ['the protocol by name', input('ip protocol vrrp accept'), 'accepted'],
  ['the protocol in a set', input('meta l4proto { tcp, 112 } accept'), 'accepted'],
  ['the protocol of another family', input('ip6 nexthdr 112 accept'), 'dropped'],
  ['other protocols', input('meta l4proto { tcp, udp, icmp } accept\ntcp dport 22 accept'), 'dropped'],
  ['everything but TCP', input('meta l4proto != tcp accept'), 'accepted'],
  ['the interface by a pattern', input('iifname "eth*" accept'), 'accepted'],
  ['another interface', input('iifname "eth1" accept'), 'dropped'],
  ['a subnet of peers', input('ip saddr 10.0.0.0/24 accept'), 'accepted'],
  ['a list without the peer', input('ip saddr { 10.0.0.11, 10.0.0.13 } accept'), 'dropped'],
  ['a chain that lets it in', input('jump other'), 'accepted'],
  ['a chain from which nothing returns', input('goto strict', 'accept'), 'dropped'],
  ['a return to the policy', input('return\naccept'), 'dropped'],
  ['a named set, which is not looked into', input('ip saddr @nodes accept'), 'maybe-dropped'],
  ['a limit, which nobody foretells', input('limit rate 10/second accept'), 'maybe-dropped'],
  ['a mark that it may have', input('meta mark 1 drop', 'accept'), 'maybe-dropped'],
  ['an earlier rule that lets it in', input('ip protocol 112 accept\nmeta mark 1 drop'), 'accepted'],
  [
    'a second chain, whatever the first says',
    `${input('accept')}\ntable ip g { chain in { type filter hook input priority 10; ip protocol 112 drop; } ; }`,
    'dropped',
  ],
])('%s', async (_, ruleset, kind) => {
  expect(await fate(ruleset)).toBe(kind);
});
