import { describe, expect, test } from 'vitest';
import type { Entry } from '../../faults/record/history.ts';
import { judge } from '../../faults/validate/judge.ts';
import { atRest, fault, holds, madeHistory, outage, probe } from './made-history.ts';

/** What each validator finds, those that find nothing left out. */
function found(...more: readonly Entry[]): readonly string[] {
  return judge(madeHistory(...more)).flatMap(({ name, violations }) =>
    violations.map(({ what, starved }) => `${name}${starved ? '?' : ''} ${what}`),
  );
}

test('a history in which nothing happens is judged as a whole, and has no violation', () => {
  const verdicts = judge(madeHistory());
  expect(verdicts.flatMap(({ violations }) => violations)).toEqual([]);
  expect(verdicts.filter(({ judged }) => judged === 0)).toEqual([]);
});

test('a history without a beginning cannot be judged', () => {
  expect(() => judge([])).toThrow('Cannot judge the history');
});

describe('V1', () => {
  test('two holders without a fault are a violation', () => {
    expect(found(...holds('cp-2', 10_000, 10_300))).toEqual(['V1 two nodes hold the VIP for 300 ms']);
  });
  test('three holders that become two are one violation', () => {
    expect(found(...holds('cp-2', 10_000, 10_300), ...holds('cp-3', 10_100, 10_200))).toEqual([
      'V1 two nodes hold the VIP for 300 ms',
    ]);
  });
  test('a hand-over of ten milliseconds is listed and no violation', () => {
    const [verdict] = judge(madeHistory(...holds('cp-2', 10_000, 10_009)));
    expect(verdict?.violations).toEqual([]);
    expect(verdict?.notes).toEqual(['1 hand-overs with two holders, the longest 9.0 ms']);
  });
  test('two holders in a partition are none, and after its healing they are', () => {
    const split = fault('partition', 'node', 'cp-2', [10_000, 12_000], ['cp-2']);
    expect(found(...split, ...holds('cp-2', 10_400, 12_100))).toEqual([]);
    expect(found(...split, ...holds('cp-2', 10_400, 12_500))).toEqual([
      'V1 two nodes hold the VIP for 350 ms',
    ]);
  });
  test('a killed keepalived may leave its address for a second', () => {
    const kill = fault('kill', 'keepalived', 'cp-2', [10_000, 10_010]);
    expect(found(...kill, ...holds('cp-2', 9_999, 11_000))).toEqual([]);
    expect(found(...kill, ...holds('cp-2', 9_999, 11_500))).toEqual(['V1 two nodes hold the VIP for 500 ms']);
  });
  test('where no process was woken in time, two holders prove nothing', () => {
    const stall: Entry = { kind: 'stall', fromMs: 9_800, toMs: 10_050 };
    expect(found(stall, ...holds('cp-2', 10_000, 10_300))).toEqual(['V1? two nodes hold the VIP for 300 ms']);
  });
});

describe('V2', () => {
  test('a MASTER without the address for longer than a second is a violation', () => {
    const masters = (toMs: number): readonly Entry[] => [
      { kind: 'vrrp', atMs: 20_000, node: 'cp-2', state: 'MASTER' },
      { kind: 'vrrp', atMs: toMs, node: 'cp-2', state: 'BACKUP' },
    ];
    expect(found(...masters(20_900))).toEqual([]);
    expect(found(...masters(22_000))).toEqual(['V2 cp-2: address and VRRP state disagree for 2000 ms']);
    expect(
      found(...fault('stop', 'keepalived-supervisor', 'cp-2', [19_000, 22_000]), ...masters(22_000)),
    ).toEqual([]);
  });
  test('an address without a MASTER is a violation', () => {
    expect(
      found(
        { kind: 'vrrp', atMs: 30_000, node: 'cp-1', state: 'BACKUP' },
        { kind: 'vrrp', atMs: 33_000, node: 'cp-1', state: 'MASTER' },
      ),
    ).toEqual(['V2 cp-1: address and VRRP state disagree for 3000 ms']);
  });
  test('no holder at a rest is a violation', () => {
    expect(
      found(
        { kind: 'address', atMs: 90_000, node: 'cp-1', holds: false },
        { kind: 'vrrp', atMs: 90_000, node: 'cp-1', state: 'BACKUP' },
      ),
    ).toEqual(['V2 0 holders at the rest after episode 1']);
  });
});

describe('V3', () => {
  test('a failed request without a fault is a violation', () => {
    expect(found(probe(40_000, 'ECONNRESET'))).toEqual([
      'V3 1 requests failed (ECONNRESET) within 20 ms, and a node was free of faults',
    ]);
  });
  test('requests may fail within the bound of a fault and not after it', () => {
    const kill = fault('kill', 'haproxy', 'cp-1', [40_000, 40_010]);
    expect(found(...kill, ...outage(40_000, 40_900))).toEqual([]);
    expect(found(...kill, ...outage(40_000, 42_000))).toEqual([
      'V3 9 requests failed (timeout) within 820 ms, and a node was free of faults',
    ]);
  });
  test('not one request may fail where a supervisor is killed', () => {
    const kill = fault('kill', 'haproxy-supervisor', 'cp-1', [40_000, 40_010]);
    expect(found(...kill, probe(40_100, 'ECONNRESET'))).toHaveLength(1);
  });
  test('nothing is demanded while no node is free of faults', () => {
    const all = ['cp-1', 'cp-2', 'cp-3'].flatMap((node) => fault('stop', 'haproxy', node, [40_000, 50_000]));
    expect(found(...all, ...outage(44_000, 49_900))).toEqual([]);
    expect(found(...all, ...outage(52_000, 52_100))).toHaveLength(1);
  });
  test('a node on the other side of a partition counts for nothing', () => {
    const split = fault('partition', 'node and client', 'cp-1', [40_000, 60_000], ['cp-1', 'client']);
    const hung = fault('stop', 'haproxy', 'cp-1', [41_000, 60_000]);
    expect(found(...split, ...hung, ...outage(57_000, 58_000))).toEqual([]);
    expect(found(...split, ...outage(57_000, 58_000))).toHaveLength(1);
  });
  test('a group that does not come to rest is a violation', () => {
    expect(
      found({ kind: 'rest', atMs: 50_000, episode: 1, reached: false, missing: 'the client is not served' }),
    ).toEqual(['V3 after episode 1 the group did not come to rest: the client is not served']);
  });
});

describe('Z', () => {
  test('what is left behind is a violation', () => {
    expect(found({ kind: 'left', atMs: 101_000, what: 'the VIP on cp-1' })).toEqual([
      'Z left behind: the VIP on cp-1',
    ]);
  });
  test('a history that ends early is one', () => {
    const verdicts = judge(madeHistory().filter(({ kind }) => kind !== 'over'));
    expect(verdicts.flatMap(({ violations }) => violations.map(({ what }) => what))).toEqual([
      'the history has no end: what was left was not looked for',
    ]);
  });
  test('descriptors, processes and temporary files that have become more are one each', () => {
    const later = atRest('cp-1', 100_000, 1, {
      descriptors: { haproxy: 40 },
      processes: 20,
      files: ['haproxy.cfg.tmp'],
    });
    const entries = madeHistory().flatMap((entry) =>
      entry.kind === 'node' && entry.node === 'cp-1' && entry.episode === 1 ? [later] : [entry],
    );
    expect(judge(entries).flatMap(({ violations }) => violations.map(({ what }) => what))).toEqual([
      'cp-1: haproxy had 20 descriptors, and has 40',
      'cp-1: 9 processes, and later 20',
      'cp-1: temporary file haproxy.cfg.tmp',
    ]);
  });
});
