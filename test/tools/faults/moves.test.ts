import { describe, expect, test } from 'vitest';
import type { Entry } from '../../faults/record/history.ts';
import { judge } from '../../faults/validate/judge.ts';
import { findingsOf } from './findings.ts';
import { fault, holds, madeHistory, told } from './made-history.ts';

describe('V4', () => {
  const found = findingsOf('V4');
  const moved: readonly Entry[] = [
    { kind: 'address', atMs: 40_300, node: 'cp-1', holds: false },
    ...holds('cp-2', 40_300),
  ];
  const left = (reason: string, atMs = 40_250) =>
    told('cp-1', atMs, { event: 'vrrp-transition', subject: 'API', from: 'MASTER', to: 'BACKUP', reason });
  test('a move without a journal entry is a violation', () => {
    expect(found({ kind: 'address', atMs: 40_300, node: 'cp-2', holds: true })).toEqual([
      'cp-2 got the VIP, and its journal does not say so',
    ]);
  });
  test('a move without a cause is a violation', () => {
    const entries = madeHistory(...moved).filter((entry) => entry.kind !== 'journal' || entry.atMs > 2_000);
    const verdict = judge(entries).find(({ name }) => name === 'V4');
    expect(verdict?.violations.map(({ what }) => what)).toEqual([
      'timeline names no cause for the move to cp-2',
    ]);
  });
  test('a stopped supervisor may report a move once it resumes', () => {
    const late = moved.map((entry) => (entry.kind === 'journal' ? { ...entry, atMs: 45_020 } : entry));
    const stop = fault('stop', 'keepalived-supervisor', 'cp-2', [40_000, 45_000]);
    expect(found(...late)).toContain('cp-2 got the VIP, and its journal does not say so');
    expect(found(...stop, ...late)).not.toContain('cp-2 got the VIP, and its journal does not say so');
  });
  test('after a single fault, timeline has to name it', () => {
    const kill = fault('kill', 'haproxy', 'cp-1', [40_000, 40_010]);
    expect(found(...kill, ...moved, left('the track file says that this node cannot serve (-254)'))).toEqual(
      [],
    );
    expect(found(...kill, ...moved, left('10.77.0.12 has priority 220'))).toHaveLength(1);
  });
  test('neither a fault on a backup nor one that no client may notice moves the VIP', () => {
    const cause = left('the track file says that this node cannot serve (-254)');
    expect(found(...fault('kill', 'haproxy', 'cp-2', [40_000, 40_010]), ...moved, cause)).toEqual([
      'kill haproxy on a backup moved the VIP 1 times, expected 0',
    ]);
    expect(found(...fault('kill', 'haproxy-monitor', 'cp-1', [40_000, 40_010]), ...moved, cause)).toEqual([
      'kill haproxy-monitor on the holder moved the VIP 1 times, expected 0',
    ]);
  });
  test('an address added by the fault itself is not a move, but a move it causes is', () => {
    const added = fault('by-hand', 'add-vip', 'cp-2', [40_000, 40_010]);
    const address = (holds: boolean, atMs: number): Entry => ({ kind: 'address', atMs, node: 'cp-2', holds });
    expect(found(...added, address(true, 40_008), address(false, 40_400))).toEqual([]);
    expect(found(...added, ...holds('cp-3', 40_300, 41_000))).toContain(
      'by-hand add-vip on a backup moved the VIP 1 times, expected 0',
    );
  });
});
