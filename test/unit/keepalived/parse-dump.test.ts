import { expect, test } from 'vitest';
import { parseDump } from '../../../src/keepalived/parse-dump.ts';

/** The lines that matter of what keepalived 2.2.7 writes at SIGUSR1, with some around them. */
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

test('the number of the configuration and the states are read', () => {
  expect(parseDump(dump)).toEqual({
    number: 12,
    instances: [
      { name: 'API', state: 'MASTER', priority: 250 },
      { name: 'INGRESS', state: 'FAULT', priority: 210 },
    ],
  });
});

test('a dump that is still being written tells only what it already holds', () => {
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
