import { describe, expect, test } from 'vitest';
import type { Entry } from '../../faults/record/history.ts';
import { findingsOf } from './findings.ts';
import { fault } from './made-history.ts';

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
