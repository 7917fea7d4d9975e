import { expect, test } from 'vitest';
import { markConfiguration } from '../../../src/keepalived/accepted-configuration.ts';
import { vrrpFacts } from '../../../src/keepalived/vrrp-facts.ts';

const text = `global_defs {
    vrrp_version 3
}
vrrp_instance API {
    interface eth0
    virtual_router_id 77
    advert_int 0.1
    down_timer_adverts 3
    unicast_peer {
        # cp-2
        10.0.0.12 min_ttl 255 max_ttl 255
        10.0.0.13
    }
    virtual_ipaddress {
        10.0.0.100/32
    }
}
vrrp_instance INGRESS {
    interface eth1
    virtual_router_id 78
    mcast_src_ip 10.0.0.11
    virtual_ipaddress {
        10.0.0.200/32
    }
}
`;
const expected = {
  version: 3,
  instances: [
    {
      ...{ name: 'API', interface: 'eth0', virtualRouterId: 77, mode: 'unicast' },
      peers: ['10.0.0.12', '10.0.0.13'],
      ...{ vips: ['10.0.0.100'], advertIntervalMs: 100, downTimerAdverts: 3, takeOverMs: 600 },
    },
    {
      ...{ name: 'INGRESS', interface: 'eth1', virtualRouterId: 78, mode: 'multicast', peers: [] },
      ...{ vips: ['10.0.0.200'], advertIntervalMs: 1_000, downTimerAdverts: 3, takeOverMs: 4_200 },
    },
  ],
};

test('who hears whom, and who holds what', () => {
  expect(vrrpFacts(text)).toEqual(expected);
});

test("a supervisor's copy says the same", () => {
  expect(vrrpFacts(markConfiguration(text, 7))).toEqual(expected);
});

test('VRRP 2', () => {
  expect(vrrpFacts(text.replace('vrrp_version 3', 'vrrp_version 2')).version).toBe(2);
});

test('what stands in the place of a number and is none is what keepalived takes without it', () => {
  const garbled = text
    .replace('advert_int 0.1', 'advert_int soon')
    .replace('virtual_router_id 77', 'virtual_router_id x');
  const [api] = vrrpFacts(garbled).instances;
  expect(api).toMatchObject({ advertIntervalMs: 1_000, takeOverMs: 4_200, virtualRouterId: 0 });
});
