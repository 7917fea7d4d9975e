import { expect, test } from 'vitest';
import { parseDump, parseWords } from '../../../src/keepalived/parse-dump.ts';

/** An excerpt of the dump that keepalived 2.2.7 writes on SIGUSR1. */
const dump = `------< Global definitions >------
 Router ID = n1
 Smtp HELO name = hawser-12
 Default smtp_alert = unset
------< VRRP Topology >------
 VRRP Instance = API
   VRRP Version = 3
   State = MASTER
   Flags:
     Using unicast
   Wantstate = MASTER
   Interface = eth0
   Priority = 220
   Effective priority = 250
   Total priority = 250
   Virtual IP (1):
     10.77.0.100 dev eth0 scope global set
 VRRP Instance = INGRESS
   VRRP Version = 3
   State = FAULT
   Priority = 210
   Effective priority = 210
------< VRRP Sockpool >------
   State = UP, RUNNING
`;

test('the configuration number and the states are read', () => {
  expect(parseDump(dump)).toEqual({
    number: 12,
    instances: [
      { name: 'API', state: 'MASTER', priority: 250 },
      { name: 'INGRESS', state: 'FAULT', priority: 210 },
    ],
  });
});

test('an incomplete dump is parsed as far as it is written', () => {
  for (let end = 0; end < dump.length; end += 1) {
    const { number, instances } = parseDump(dump.slice(0, end));
    expect([undefined, 12]).toContain(number);
    for (const each of instances)
      expect(each).toMatchObject(
        each.name === 'API' ? { state: 'MASTER', priority: 250 } : { state: 'FAULT', priority: 210 },
      );
  }
  expect(parseDump('')).toEqual({ number: undefined, instances: [] });
});

const at = 'Sat Nov 21 06:40:02 2026: ';

/** Recorded from keepalived 2.2.7 with --log-detail. */
test.each([
  ['A thread timer expired 0.235183 seconds ago', { kind: 'late', lateMs: 235 }],
  [
    '(API) Master received advert from 10.77.0.11 with higher priority 220, ours 110',
    { kind: 'outranked', instance: 'API', by: '10.77.0.11', theirs: 220, ours: 110 },
  ],
  [
    '(API_V6) Master received advert from fd77::12 with same priority 210 but higher IP address than ours',
    { kind: 'outranked', instance: 'API_V6', by: 'fd77::12', theirs: 210, ours: 210 },
  ],
  [
    'Netlink reflector reports IP 10.77.0.100 removed from eth0',
    { kind: 'address-removed', address: '10.77.0.100', interface: 'eth0' },
  ],
  ['Netlink reports eth0 down', { kind: 'interface-down', interface: 'eth0' }],
  [
    '(API): entering FAULT state (tracked file lb has status -254)',
    { kind: 'track-file-fault', instance: 'API' },
  ],
  ['(API): tracked file lb now FAULT state', { kind: 'track-file-fault', instance: 'API' }],
])('%s', (line, words) => {
  expect(parseWords(`${at}${line}`)).toEqual(words);
});

test.each([
  '(API) Entering MASTER STATE',
  '(API) Received advert from 10.77.0.13 with lower priority 110, ours 220, forcing new election',
  '(API) entering FAULT state',
  'Netlink reports eth0 up',
  '',
])('"%s" is ignored', (line) => {
  expect(parseWords(`${at}${line}`)).toBeUndefined();
});
