import { expect, test } from 'vitest';
import type { Entry } from '../../faults/record/history.ts';
import { isTemporary } from '../../faults/record/temporary-name.ts';
import { findingsIn } from './findings.ts';
import { atRest, madeHistory } from './made-history.ts';

const half = '.haproxy.cfg.0123456789abcdef';

test('half-written files and unclaimed sockets of a killed program are recognised by their names', () => {
  const names = [half, 'run/.server-state.0123456789abcdef', 'haproxy.cfg.candidate'];
  const sockets = ['run/keepalived.sock.0badcafe', 'run/keepalived.sock.old.0badcafe'];
  expect([...names, ...sockets].filter((name) => !isTemporary(name))).toEqual([]);
  const lasting = [
    'haproxy.cfg',
    'haproxy.cfg.last-good',
    'keepalived.conf.agreed',
    'vrrp-nodes.json.api.ipv4',
  ];
  const run = [
    'run/keepalived.sock',
    'run/notify.fifo',
    'run/keepalived.accepted.conf',
    'run/lb.participation.json',
  ];
  expect([...lasting, ...run].filter(isTemporary)).toEqual([]);
});

test('a temporary file is a violation if both monitors were started at least a minute after it was seen', () => {
  const rests = [10_000, 80_000, 100_000].map((atMs) => atRest('cp-1', atMs, 1, { files: [half] }));
  const started = (part: string, atMs: number): Entry => ({
    kind: 'part',
    atMs,
    node: 'cp-1',
    part,
    what: 'started',
  });
  const found = (...more: readonly Entry[]) =>
    findingsIn(
      'Z',
      madeHistory(...more).flatMap((entry) =>
        entry.kind === 'node' && entry.node === 'cp-1' && entry.episode === 1 ? rests : [entry],
      ),
    );
  const both = (atMs: number) => ['haproxy-monitor', 'keepalived-monitor'].map((part) => started(part, atMs));
  expect(found()).toEqual([]);
  expect(found(...both(69_000))).toEqual([]);
  expect(found(started('haproxy-monitor', 75_000))).toEqual([]);
  expect(found(...both(75_000))).toEqual([`cp-1: temporary file ${half}, which no monitor has removed`]);
});
