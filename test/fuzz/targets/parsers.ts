import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { parseTableListing } from '../../../src/api-lb/redirect/table-listing.ts';
import { parseStatisticsPage } from '../../../src/api-lb/server-rows.ts';
import { parseServerCounters } from '../../../src/api-lb/suspects/server-counters.ts';
import { clientSessions, infoNumber, masterPid } from '../../../src/haproxy/parse-replies.ts';
import { stateForTracking } from '../../../src/haproxy/state-for-tracking.ts';
import { downServers } from '../../../src/haproxy/text/servers-state.ts';
import { parseNotification } from '../../../src/keepalived/notify-fifo.ts';
import { parseConfiguration } from '../../../src/keepalived/parse-configuration.ts';
import { parseDump, parseWords } from '../../../src/keepalived/parse-dump.ts';
import { textNear } from '../hostile.ts';
import { attackWith, type Target, withoutWorld } from '../target.ts';

const fixture = (path: string) => readFileSync(new URL(`../../fixtures/${path}`, import.meta.url), 'utf8');
const numbersIn = (value: unknown): readonly number[] => {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
};
/** NaN becomes null in a status, and readers then reject the whole status. */
const expectNumbers = (value: unknown) =>
  assert.deepEqual(
    numbersIn(value).filter((each) => !Number.isFinite(each)),
    [],
  );

const statistics = fixture('supervisor/statistics.csv');
const state = fixture('supervisor/show-servers-state.txt');
const answers = ['show-proc', 'show-info', 'show-sess', 'stats-prompt-show-info'].map((name) =>
  fixture(`supervisor/${name}.txt`),
);
const tracking =
  'backend masters\n  server a 10.0.0.1:6443 track probes/a\n  server b 10.0.0.2:6443 # track c\n';

export const runtimeApi: Target = {
  name: 'runtime-api',
  claim: 'what HAProxy answers is read without an error, and every number read is one',
  open: withoutWorld(
    attackWith(
      fc.tuple(textNear([statistics, state, ...answers]), textNear([tracking])),
      ([answer, configuration]) => {
        expectNumbers([parseStatisticsPage(answer), parseServerCounters(answer)]);
        expectNumbers([infoNumber(answer, 'Pid'), masterPid(answer)]);
        for (const { id } of clientSessions(answer)) assert.match(id, /^0x[0-9a-f]+$/);
        assert.ok(downServers(answer) instanceof Set);
        const lines = new Set(['', ...answer.split('\n')]);
        const kept = stateForTracking(configuration, answer).split('\n');
        assert.deepEqual(
          kept.filter((line) => !lines.has(line)),
          [],
        );
      },
    ),
  ),
};

const dump = `------< Global definitions >------
 Router ID = n1
 Smtp HELO name = hawser-12
------< VRRP Topology >------
 VRRP Instance = API
   State = MASTER
   Effective priority = 250
 VRRP Instance = INGRESS
   State = FAULT (init)
   Effective priority = 210
`;
const said = [
  'INSTANCE "API" MASTER 230',
  'GROUP "VIPS" FAULT 0',
  'Mon Nov 23 01:50:00 2026: A thread timer expired 1.5 seconds ago',
  '(API) Master received advert from 10.0.0.2 with higher priority 240, ours 230',
  'Netlink reflector reports IP 10.0.0.5 removed from eth0',
];
const configurations = [
  fixture('foreign/guide-keepalived.conf'),
  'global_defs {\n vrrp_version 2\n}\nvrrp_instance API {\n interface eth0\n advert_int 0.25\n virtual_ipaddress {\n  fd00::5/128 dev eth0\n }\n}\n',
];

export const keepalivedDump: Target = {
  name: 'keepalived-dump',
  claim: 'dumps, notifications and words of keepalived, and its configuration, are read without an error',
  open: withoutWorld(
    attackWith(fc.tuple(textNear([dump, ...said]), textNear(configurations)), ([text, configuration]) => {
      expectNumbers(parseDump(text));
      for (const line of text.split('\n')) expectNumbers([parseNotification(line), parseWords(line)]);
      expectNumbers(parseConfiguration(configuration));
    }),
  ),
};

const listing = JSON.stringify({
  nftables: [
    { metainfo: { version: '1.0.6' } },
    { map: { name: 'vips', elem: [[{ concat: ['10.0.0.5', 6443] }, { concat: ['10.0.0.5', 9445] }]] } },
    { chain: { name: 'prerouting' } },
    { rule: { chain: 'prerouting', expr: [] } },
  ],
});

export const nftListing: Target = {
  name: 'nft-listing',
  claim: 'what nft lists is read without an error',
  open: withoutWorld(
    attackWith(textNear([listing]), (text) => {
      parseTableListing(text);
    }),
  ),
};
