import { namesIn, numberAfter, parseBlocks, wordAfter } from './parse-blocks.ts';
import { advertIntervalMs, downTimerAdverts, globalsOf, parseConfiguration } from './parse-configuration.ts';

/** The parts of a keepalived.conf that decide which nodes hear each other and what each holds. */
export interface VrrpFacts {
  readonly version: 2 | 3;
  readonly instances: readonly VrrpInstanceFacts[];
}

export interface VrrpInstanceFacts {
  readonly name: string;
  readonly interface: string;
  readonly virtualRouterId: number;
  readonly mode: 'unicast' | 'multicast';
  /** Addresses; empty for multicast. */
  readonly peers: readonly string[];
  readonly vips: readonly string[];
  readonly advertIntervalMs: number;
  /** After so many missing adverts a holder is taken for dead. */
  readonly downTimerAdverts: number;
  /** How soon a peer has certainly taken over from a holder that fell silent. */
  readonly takeOverMs: number;
}

/**
 * The parts of a keepalived.conf that decide which nodes hear each other and what each holds. `include` is not
 * followed.
 */
export function vrrpFacts(text: string): VrrpFacts {
  const { instances, profile } = parseConfiguration(text);
  const all = parseBlocks(text);
  const blocks = all.filter(({ words }) => words[0] === 'vrrp_instance');
  return {
    version: profile === 'openshift' ? 2 : 3,
    instances: instances.map(({ name, vips, takeOverMs }, index): VrrpInstanceFacts => {
      const own = blocks[index]?.children ?? [];
      const peers = namesIn(own, 'unicast_peer');
      return {
        ...{ name, peers, takeOverMs },
        interface: wordAfter(own, 'interface') ?? '',
        virtualRouterId: numberAfter(own, 'virtual_router_id', 0),
        mode: peers.length > 0 ? 'unicast' : 'multicast',
        vips: vips.map(({ address }) => address),
        advertIntervalMs: advertIntervalMs(own),
        downTimerAdverts: downTimerAdverts(own, globalsOf(all)),
      };
    }),
  };
}
