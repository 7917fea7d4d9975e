import { expect, test } from 'vitest';
import { parseWords } from '../../../src/keepalived/parse-words.ts';

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
])('"%s" tells nothing', (line) => {
  expect(parseWords(`${at}${line}`)).toBeUndefined();
});
