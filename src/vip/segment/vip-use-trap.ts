import { elementsOf, type NftOptions } from '../../engine/system/nft/nft.ts';
import { vipAtAnyPlace } from './advert-trap.ts';
import { type AskedVip, answerForm, parseAnswers, setsOfPairs, type VipAnswer } from './answer-trap.ts';
import { createTrap, type IngressRule, type Trap, type TrapForm } from './trap.ts';

export interface VipUseSeen {
  readonly answers: readonly VipAnswer[];
  /** The VIPs of which an advert came in. */
  readonly advertised: ReadonlySet<string>;
}

/** Hears who holds a VIP, and whether its holder sends its adverts to this node. */
export function createVipUseTrap(options: NftOptions = {}): Trap<AskedVip, VipUseSeen> {
  return createTrap('hawser_vip_use', vipUseForm, options);
}

const ADVERTS = setsOfPairs('adverts_');

const vipUseForm: TrapForm<AskedVip, VipUseSeen> = {
  sets: (asked) => ({ ...answerForm.sets(asked), ...ADVERTS }),
  rules: (asked) => [...answerForm.rules(asked), ...asked.flatMap(advertRulesOf)],
  parse: (json) => ({ answers: parseAnswers(json), advertised: parseAdvertised(json) }),
};

/** Priority 0 is a goodbye. */
function advertRulesOf({ vip, family, interface: device }: AskedVip): readonly IngressRule[] {
  const header = family === 'ipv4' ? 'ip protocol 112' : 'ip6 nexthdr 112';
  return vipAtAnyPlace(family, vip).map((isThere) => ({
    interface: device,
    rule: `${header} @th,16,8 != 0 ${isThere} add @adverts_${family} { ${vip} . ether saddr }`,
  }));
}

function parseAdvertised(json: string): ReadonlySet<string> {
  const elements = Object.keys(ADVERTS).flatMap((set) => elementsOf(json, set));
  return new Set(elements.flatMap(([vip]) => (typeof vip === 'string' ? vip : [])));
}
