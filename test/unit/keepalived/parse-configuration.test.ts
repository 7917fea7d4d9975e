import { expect, test } from 'vitest';
import { parseConfiguration } from '../../../src/keepalived/parse-configuration.ts';

test('instances, their VIPs, the FIFO and the track files are parsed', () => {
  const text = `! a comment with { a brace
global_defs {
    vrrp_version 3   # another
    vrrp_notify_fifo /run/keepalived/notify.fifo
}
track_file lb {
    file "/run/keepalived/lb.track"
    weight 1
}
vrrp_instance API {
    interface eth0
    virtual_router_id 77
    advert_int 0.1
    down_timer_adverts 3
    unicast_peer {
        10.0.0.12 min_ttl 255 max_ttl 255
    }
    virtual_ipaddress {
        10.0.0.5/32 label vip
        10.0.0.6 dev eth1
    }
    virtual_ipaddress_excluded {
        fd00:0:0::0005/128 preferred_lft 0
    }
    track_file {
        lb
    }
}
`;
  expect(parseConfiguration(text)).toEqual({
    instances: [
      {
        name: 'API',
        virtualRouterId: 77,
        peers: ['10.0.0.12'],
        vips: [
          { address: '10.0.0.5', prefixLength: 32, interface: 'eth0' },
          { address: '10.0.0.6', prefixLength: 32, interface: 'eth1' },
          { address: 'fd00::5', prefixLength: 128, interface: 'eth0' },
        ],
        masterDownMs: 600,
      },
    ],
    trackFiles: [{ path: '/run/keepalived/lb.track', instances: ['API'] }],
    notifyFifo: '/run/keepalived/notify.fifo',
  });
});

test('braces may be alone on a line or share one, and the default advert interval is one second', () => {
  const text = 'vrrp_instance A\n{\n  interface eth0\n  virtual_ipaddress { 10.0.0.5 }\n}\n';
  expect(parseConfiguration(text).instances).toEqual([
    {
      name: 'A',
      peers: [],
      vips: [{ address: '10.0.0.5', prefixLength: 32, interface: 'eth0' }],
      masterDownMs: 4_200,
    },
  ]);
});

test.each([
  '',
  '}}}',
  'vrrp_instance',
  'vrrp_instance A {',
  '{{{',
  'vrrp_instance A {\n virtual_ipaddress {\n nonsense\n}',
])('text that keepalived would refuse is parsed without an exception: %j', (text) => {
  const { instances } = parseConfiguration(text);
  expect(instances.flatMap(({ vips }) => vips)).toEqual([]);
});

test('a track file belongs to the instances that use it directly or through their group', () => {
  const text = `track_file lb {
    file "/run/lb.track"
}
track_file ingress {
    file /run/ingress.track
}
vrrp_track_file spare {
    file /run/spare.track
}
vrrp_sync_group API_VIPS {
    group {
        API
        API_V6
    }
    track_file {
        lb weight 1
    }
}
vrrp_instance API {
}
vrrp_instance API_V6 {
}
vrrp_instance INGRESS {
    track_file {
        ingress
    }
}
`;
  expect(parseConfiguration(text).trackFiles).toEqual([
    { path: '/run/lb.track', instances: ['API', 'API_V6'] },
    { path: '/run/ingress.track', instances: ['INGRESS'] },
    { path: '/run/spare.track', instances: [] },
  ]);
});

test('an address with an invalid prefix length is a single address', () => {
  const text = 'vrrp_instance API {\n  interface eth0\n  virtual_ipaddress {\n    10.0.0.5/x\n  }\n}\n';
  expect(parseConfiguration(text).instances[0]?.vips).toEqual([
    { address: '10.0.0.5', prefixLength: 32, interface: 'eth0' },
  ]);
});
