import { describe, expect, test } from 'vitest';
import type { Entry } from '../../faults/record/history.ts';
import { findingsOf } from './findings.ts';
import { fault } from './made-history.ts';

test('a reload of keepalived that nothing asked for is a violation', () => {
  const found = findingsOf('H4');
  const reload = (cause: string): Entry => ({ kind: 'reload', atMs: 50_000, node: 'cp-1', cause });
  const unasked = ['a reload of keepalived on cp-1 that nothing asked for'];
  const file = (name: string, sha: string): Entry => ({
    ...{ kind: 'file', atMs: 49_000, node: 'cp-1', file: name, sha },
  });
  expect(found(reload('request'))).toEqual(unasked);
  expect(found(reload('request'), file('haproxy.cfg', 'c'))).toContain(unasked[0]);
  expect(found(reload('request'), file('keepalived.conf', 'c'))).not.toContain(unasked[0]);
  expect(found(reload('request'), ...fault('reload-storm', 'haproxy', 'cp-1', [49_000, 49_010]))).toEqual(
    unasked,
  );
  expect(found(reload('request'), ...fault('reload-storm', 'keepalived', 'cp-1', [49_000, 49_010]))).toEqual(
    [],
  );
  expect(
    found(reload('request'), {
      ...{ kind: 'part', atMs: 45_000, node: 'cp-1', part: 'keepalived-monitor', what: 'started' },
    }),
  ).toEqual([]);
  // The supervisor itself: it was just started, and goes on with a keepalived that it found.
  expect(found(reload('boot'))).toEqual([]);
});

describe('H5', () => {
  const found = findingsOf('H5');
  test('a list about which the API server of one node lies changes no file of another node', () => {
    const changed = (node: string): Entry => ({
      ...{ kind: 'file', atMs: 41_000, node, file: 'keepalived.conf', sha: 'c' },
    });
    const lie = fault('api-lie', 'half', 'cp-1', [40_000, 45_000]);
    expect(found(...lie, changed('cp-1'))).toEqual([]);
    expect(found(...lie, changed('cp-2'))).toEqual([
      'keepalived.conf of cp-2 changed after api-lie half on cp-1',
    ]);
    expect(found(...fault('api-lie-everywhere', 'half', 'cp-1', [40_000, 45_000]), changed('cp-2'))).toEqual(
      [],
    );
  });
});
