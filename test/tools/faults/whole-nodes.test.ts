import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keptJournals, wipeDisk } from '../../faults/world/wiped-disk.ts';
import { findingsOf } from './findings.ts';
import { fault, holds, outage, probe } from './made-history.ts';

test('a new node in the place of the holder costs no more than a holder without power', () => {
  const replaced = fault('replace-node', 'node', 'cp-1', [40_000, 46_000], ['cp-1']);
  const found = findingsOf('V3');
  expect(found(...replaced, ...outage(40_000, 45_900))).toEqual([]);
  expect(found(...replaced, ...outage(46_100, 47_000))).toHaveLength(1);
  expect(findingsOf('V1')(...replaced, ...holds('cp-2', 46_100, 47_000))).toEqual([
    'two nodes hold the VIP for 900 ms',
  ]);
  expect(findingsOf('H1')(...replaced, probe(40_100, 'timeout'))).toEqual([]);
});

test('a new node that does not know who holds the VIP is no excuse for two holders, but with another fault beside', () => {
  const replaced = fault('replace-node', 'node', 'cp-2', [40_000, 46_000], ['cp-2']);
  const two = holds('cp-2', 50_000, 51_000);
  const found = findingsOf('V1');
  expect(found(...replaced, ...two)).toEqual(['two nodes hold the VIP for 1000 ms']);
  expect(found(...replaced, ...fault('api-fault', 'stall', 'cp-1', [45_000, 49_000]), ...two)).toEqual([]);
});

test('no service is demanded while the pods of every node are restarted, nor for 8 s after the last has ended', () => {
  const restarted = fault('restart-pod', 'every node', 'cp-2', [40_000, 46_000]);
  const found = findingsOf('V3');
  expect(found(...restarted, ...outage(43_000, 53_900))).toEqual([]);
  expect(found(...restarted, ...outage(54_100, 55_000))).toHaveLength(1);
  expect(
    found(...fault('restart-pod', 'both', 'cp-2', [40_000, 46_000]), ...outage(43_000, 53_900)),
  ).toHaveLength(1);
});

test('a restart of every node reaches the holder, whichever node came first', () => {
  const restarted = fault('restart-pod', 'every node', 'cp-2', [40_000, 46_000]);
  const moves = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      holds('cp-3', 41_000 + index * 1_000, 41_500 + index * 1_000),
    ).flat();
  const needless = (found: readonly string[]) => found.filter((what) => what.includes('moved the VIP'));
  const found = findingsOf('V4');
  expect(needless(found(...restarted, ...moves(3)))).toEqual([]);
  expect(needless(found(...restarted, ...moves(4)))).toEqual([
    'restart-pod every node on the holder moved the VIP 4 times, expected 3',
  ]);
});

test('the disk of a new node has what an administrator brings, and the journals of the old ones are kept', () => {
  const parent = mkdtempSync(join(tmpdir(), 'hawser-wiped-'));
  try {
    const dir = join(parent, 'cp-1');
    const at = (file: string) => join(dir, file);
    const kept = join(parent, 'journals');
    for (const line of ['first', 'second']) {
      for (const folder of ['journal', 'run']) mkdirSync(at(folder), { recursive: true });
      for (const file of ['kubeconfig', 'haproxy.log', 'haproxy.cfg', 'run/lb.track'])
        writeFileSync(at(file), '');
      writeFileSync(at('journal/a'), line);
      wipeDisk({ dir, at }, kept);
      expect(readdirSync(dir).sort()).toEqual(['haproxy.log', 'kubeconfig']);
    }
    wipeDisk({ dir, at }, kept);
    expect(keptJournals(kept).map((folder) => readFileSync(join(folder, 'a'), 'utf8'))).toEqual([
      'first',
      'second',
    ]);
    expect(keptJournals(join(parent, 'none'))).toEqual([]);
  } finally {
    rmSync(parent, { recursive: true });
  }
});
