import { describe, expect, test } from 'vitest';
import type { Entry } from '../../faults/record/history.ts';
import { judge } from '../../faults/validate/judge.ts';
import { findingsIn, findingsOf, validators } from './findings.ts';
import { atRest, fault, holds, madeHistory, outage, probe, serving, told } from './made-history.ts';

test('a history in which nothing goes wrong gets every verdict and no violation', () => {
  const verdicts = judge(madeHistory());
  expect(verdicts.flatMap(({ violations }) => violations)).toEqual([]);
  expect(verdicts.map(({ name }) => name)).toEqual(validators);
});

test('a history without a beginning cannot be judged', () => {
  expect(() => judge([])).toThrow('Cannot judge the history');
});

/** cp-2's kernel has the VIP from 11,005 ms, without keepalived. */
function addressUntil(toMs: number): readonly Entry[] {
  const address = (holds: boolean, atMs: number): Entry => ({ kind: 'address', atMs, node: 'cp-2', holds });
  return [address(true, 11_005), address(false, toMs)];
}

describe('V1', () => {
  const found = findingsOf('V1');
  test('two holders without a fault are a violation', () => {
    expect(found(...holds('cp-2', 10_000, 10_300))).toEqual(['two nodes hold the VIP for 300 ms']);
  });
  test('three holders that become two are a single violation', () => {
    expect(found(...holds('cp-2', 10_000, 10_300), ...holds('cp-3', 10_100, 10_200))).toEqual([
      'two nodes hold the VIP for 300 ms',
    ]);
  });
  test('a hand-over within ten milliseconds is noted but not a violation', () => {
    const [verdict] = judge(madeHistory(...holds('cp-2', 10_000, 10_009)));
    expect(verdict?.violations).toEqual([]);
    expect(verdict?.notes).toEqual(['1 hand-overs with two holders, the longest 9.0 ms']);
  });
  test('two holders are allowed during a partition but not after it has healed', () => {
    const split = fault('partition', 'node', 'cp-2', [10_000, 12_000], ['cp-2']);
    expect(found(...split, ...holds('cp-2', 10_400, 12_100))).toEqual([]);
    expect(found(...split, ...holds('cp-2', 10_400, 12_500))).toEqual(['two nodes hold the VIP for 350 ms']);
  });
  test('an address added by hand on an unplugged node may stay for a second after it is plugged in', () => {
    const unplug = fault('unplug', 'node', 'cp-2', [10_000, 14_000], ['cp-2']);
    const added = fault('by-hand', 'add-vip', 'cp-2', [11_000, 11_010]);
    for (const validator of ['V1', 'V2'] as const) {
      const judged = findingsOf(validator);
      expect(judged(...unplug, ...added, ...addressUntil(14_900))).toEqual([]);
      expect(judged(...unplug, ...added, ...addressUntil(16_200))).toHaveLength(1);
      expect(judged(...added, ...addressUntil(14_900))).toHaveLength(1);
    }
  });
  test('an address added by hand may stay while the supervisor can start no process', () => {
    const unplug = fault('unplug', 'node', 'cp-2', [10_000, 12_000], ['cp-2']);
    const added = fault('by-hand', 'add-vip', 'cp-2', [11_000, 11_010]);
    const exhausted = (node: string, fromMs: number) =>
      fault('exhaust-descriptors', 'keepalived-supervisor', node, [fromMs, 16_000]);
    const history = [...unplug, ...added, ...addressUntil(16_900)];
    for (const validator of ['V1', 'V2'] as const) {
      const judged = findingsOf(validator);
      expect(judged(...history, ...exhausted('cp-2', 11_900))).toEqual([]);
      expect(judged(...history, ...exhausted('cp-1', 11_900))).toHaveLength(1);
      expect(judged(...history, ...exhausted('cp-2', 13_100))).toHaveLength(1);
    }
  });
  test('a killed keepalived may leave its address for a second', () => {
    const kill = fault('kill', 'keepalived', 'cp-2', [10_000, 10_010]);
    expect(found(...kill, ...holds('cp-2', 9_999, 11_000))).toEqual([]);
    expect(found(...kill, ...holds('cp-2', 9_999, 11_500))).toEqual(['two nodes hold the VIP for 500 ms']);
  });
  test('two holders prove nothing if a process was woken late', () => {
    const stall: Entry = { kind: 'stall', fromMs: 9_800, toMs: 10_050 };
    expect(found(stall, ...holds('cp-2', 10_000, 10_300))).toEqual(['? two nodes hold the VIP for 300 ms']);
  });
});

test('two holders prove nothing if processes wait for a CPU nearly all the time', () => {
  const machine = { kind: 'machine', atMs: 10_500, load: 30, waitingShare: 0.95, wallOffsetMs: 0 } as const;
  expect(findingsOf('V1')(machine, ...holds('cp-2', 10_000, 10_300))).toEqual([
    '? two nodes hold the VIP for 300 ms',
  ]);
});

describe('V2', () => {
  const found = findingsOf('V2');
  test('a MASTER without the address for longer than a second is a violation', () => {
    const masters = (toMs: number): readonly Entry[] => [
      { kind: 'vrrp', atMs: 20_000, node: 'cp-2', state: 'MASTER' },
      { kind: 'vrrp', atMs: toMs, node: 'cp-2', state: 'BACKUP' },
    ];
    expect(found(...masters(20_900))).toEqual([]);
    expect(found(...masters(22_000))).toEqual(['cp-2: address and VRRP state disagree for 2000 ms']);
    expect(
      found(...fault('stop', 'keepalived-supervisor', 'cp-2', [19_000, 22_000]), ...masters(22_000)),
    ).toEqual([]);
  });
  test('an address without MASTER state is a violation', () => {
    expect(
      found(
        { kind: 'vrrp', atMs: 30_000, node: 'cp-1', state: 'BACKUP' },
        { kind: 'vrrp', atMs: 33_000, node: 'cp-1', state: 'MASTER' },
      ),
    ).toEqual(['cp-1: address and VRRP state disagree for 3000 ms']);
  });
  test('no holder at a rest is a violation', () => {
    expect(
      found(
        { kind: 'address', atMs: 90_000, node: 'cp-1', holds: false },
        { kind: 'vrrp', atMs: 90_000, node: 'cp-1', state: 'BACKUP' },
      ),
    ).toEqual(['0 holders at the rest after episode 1']);
  });
});

describe('V3', () => {
  const found = findingsOf('V3');
  test('a failed request without a fault is a violation', () => {
    expect(found(probe(40_000, 'ECONNRESET'))).toEqual([
      '1 requests failed (ECONNRESET) within 20 ms, and a node was free of faults',
    ]);
  });
  test('requests may fail within the bound of a fault but not after it', () => {
    const kill = fault('kill', 'haproxy', 'cp-1', [40_000, 40_010]);
    expect(found(...kill, ...outage(40_000, 40_900))).toEqual([]);
    expect(found(...kill, ...outage(40_000, 42_000))).toEqual([
      '9 requests failed (timeout) within 820 ms, and a node was free of faults',
    ]);
  });
  test('one connection may be closed at the moment HAProxy marks a server down', () => {
    const down = told('cp-1', 40_300, { event: 'server-transition', from: 'up', to: 'down' });
    expect(found(down, probe(40_010, 'ECONNRESET'))).toEqual([]);
    expect(found(down, probe(40_010, 'closed'))).toEqual([]);
    expect(found(down, probe(40_010, 'ECONNRESET'), probe(40_050, 'ECONNRESET'))).toHaveLength(1);
    expect(found(down, probe(40_010, 'timeout'))).toHaveLength(1);
    expect(found(down, probe(40_500, 'ECONNRESET'))).toHaveLength(1);
  });
  test("effects of a fault's end may show before it is completely undone", () => {
    const stop = fault('stop', 'keepalived-container', 'cp-1', [40_000, 45_050]);
    const reset = probe(45_000, 'ECONNRESET');
    expect(found(...stop, reset)).toHaveLength(1);
    const undo = stop.flatMap((entry) =>
      entry.kind === 'fault' && entry.phase === 'start'
        ? [{ ...entry, phase: 'undo' as const, atMs: 44_995 }]
        : [],
    );
    expect(found(...stop, ...undo, reset)).toEqual([]);
  });
  test('the end of a pod counts from when its programs resume, if they were stopped while it was terminated', () => {
    const stop = fault('stop', 'haproxy-supervisor', 'cp-1', [38_000, 42_000]);
    const told = fault('restart-pod', 'both', 'cp-1', [40_000, 46_000]);
    expect(found(...stop, ...told, ...outage(43_000, 44_000))).toEqual([]);
    expect(found(...told, ...outage(43_000, 44_000))).toHaveLength(1);
    expect(found(...stop, ...told, ...outage(45_100, 45_900))).toHaveLength(1);
    const elsewhere = fault('stop', 'haproxy-supervisor', 'cp-2', [38_000, 42_000]);
    expect(found(...elsewhere, ...told, ...outage(43_000, 44_000))).toHaveLength(1);
  });
  test('no request may fail when a supervisor is killed', () => {
    const kill = fault('kill', 'haproxy-supervisor', 'cp-1', [40_000, 40_010]);
    expect(findingsOf('H1')(...kill, probe(40_100, 'ECONNRESET'))).toEqual([
      '1 requests failed (ECONNRESET) after kill haproxy-supervisor',
    ]);
    expect(found(...kill, probe(40_100, 'ECONNRESET'))).toEqual([]);
  });
  test('an open connection cut after a harmless fault is a violation, but a planned end is not', () => {
    const kill = fault('kill', 'haproxy-supervisor', 'cp-1', [40_000, 40_010]);
    const stream = (toMs: number, reason: string | null): Entry => ({
      kind: 'stream',
      fromMs: 30_000,
      toMs,
      reason,
    });
    expect(findingsOf('H1')(...kill, stream(39_000, 'closed'), stream(50_000, null))).toEqual([]);
    expect(findingsOf('H1')(...kill, stream(40_500, 'closed'))).toEqual([
      '1 open connections were cut (closed) after kill haproxy-supervisor',
    ]);
  });
  test('requests may fail while no node is free of faults', () => {
    const all = ['cp-1', 'cp-2', 'cp-3'].flatMap((node) => fault('stop', 'haproxy', node, [40_000, 50_000]));
    expect(found(...all, ...outage(44_000, 49_900))).toEqual([]);
    expect(found(...all, ...outage(52_000, 52_100))).toHaveLength(1);
  });
  test('a node on the other side of a partition does not count', () => {
    const split = fault('partition', 'node and client', 'cp-1', [40_000, 60_000], ['cp-1', 'client']);
    const hung = fault('stop', 'haproxy', 'cp-1', [41_000, 60_000]);
    expect(found(...split, ...hung, ...outage(57_000, 58_000))).toEqual([]);
    expect(found(...split, ...outage(57_000, 58_000))).toHaveLength(1);
  });
  test('a group that does not come to rest is a violation', () => {
    expect(
      found({ kind: 'rest', atMs: 50_000, episode: 1, reached: false, missing: 'the client is not served' }),
    ).toEqual(['after episode 1 the group did not come to rest: the client is not served']);
  });
});

describe('H', () => {
  test('more HAProxy processes than a burst explains are a violation', () => {
    const found = findingsOf('H2');
    const count = (of: number): Entry => ({ kind: 'haproxys', atMs: 40_000, node: 'cp-1', count: of });
    expect(found(count(11))).toEqual([]);
    expect(found(count(12))).toEqual(['12 processes of HAProxy on cp-1']);
    expect(
      found(count(12), serving('cp-1', 30_000), serving('cp-1', 32_000), serving('cp-1', 34_000)),
    ).toEqual([]);
  });
  test('a generation still draining at rest after the longest possible connection is a violation', () => {
    const found = findingsOf('H2');
    const draining = atRest('cp-1', 50_000, 1, { draining: 1 });
    expect(found(draining)).toEqual(['1 generations drain at rest on cp-1, and 0 may have connections']);
    expect(found(draining, serving('cp-1', 20_000))).toHaveLength(1);
    expect(found(draining, serving('cp-1', 40_000))).toEqual([]);
    // Connections through a VIP that the node has since lost are dead.
    expect(found(draining, serving('cp-1', 20_000), ...holds('cp-1', 10_000, 21_000))).toEqual([]);
    // So are those of a holder that kept the VIP when another node took it.
    expect(found(draining, serving('cp-1', 20_000), ...holds('cp-2', 21_000, 22_000))).toEqual([]);
  });
  test('a generation that does not serve the file at rest is a violation', () => {
    expect(findingsOf('H3')(atRest('cp-1', 50_000, 1, { served: 'b' }))).toEqual([
      'cp-1 serves b, and haproxy.cfg is a',
    ]);
  });
  test('a file that differs at a later rest and a reload without a reason are violations', () => {
    const file = (atMs: number, name: string, sha: string): Entry => ({
      kind: 'file',
      atMs,
      node: 'cp-1',
      file: name,
      sha,
    });
    const first = file(1_000, 'keepalived.conf', 'c');
    const other = file(50_000, 'keepalived.conf', 'd');
    expect(findingsOf('H4')(first, other, file(51_000, 'keepalived.conf', 'c'))).toEqual([]);
    expect(findingsOf('H4')(first, other)).toEqual(['keepalived.conf of cp-1 has become another one']);
    const reload = told('cp-1', 50_000, { event: 'generation-serving', facts: { cause: 'request' } });
    expect(findingsOf('H4')(reload)).toEqual(['a reload of haproxy on cp-1 that nothing asked for']);
    const there = [file(49_000, 'haproxy.cfg', 'd'), file(51_000, 'haproxy.cfg', 'c')];
    expect(findingsOf('H4')(reload, file(1_000, 'haproxy.cfg', 'c'), ...there)).toEqual([]);
  });
  test('a broken template on one node that changes a file on another is a violation', () => {
    const broken = fault('damage-input', 'corrupt haproxy.cfg.ejs', 'cp-1', [40_000, 45_000]);
    const changed = (node: string): Entry => ({
      kind: 'file',
      atMs: 41_000,
      node,
      file: 'haproxy.cfg',
      sha: 'c',
    });
    expect(findingsOf('H5')(...broken, changed('cp-1'))).toEqual([]);
    expect(findingsOf('H5')(...broken, changed('cp-2'))).toEqual([
      'haproxy.cfg of cp-2 changed after damage-input corrupt haproxy.cfg.ejs on cp-1',
    ]);
  });
});

describe('Z', () => {
  const found = findingsOf('Z');
  test('a leftover is a violation', () => {
    expect(found({ kind: 'left', atMs: 101_000, what: 'the VIP on cp-1' })).toEqual([
      'left behind: the VIP on cp-1',
    ]);
  });
  test('a history that ends early is a violation', () => {
    const verdicts = judge(madeHistory().filter(({ kind }) => kind !== 'over'));
    expect(verdicts.flatMap(({ violations }) => violations.map(({ what }) => what))).toEqual([
      'the history has no end: what was left was not looked for',
    ]);
  });
  test('more descriptors, processes and temporary files are one violation each', () => {
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
      'cp-1: 9 processes that last, and later 20',
      'cp-1: temporary file haproxy.cfg.tmp',
    ]);
  });
  test('processes of draining generations are not counted as growth', () => {
    const entries = (processes: number): readonly Entry[] =>
      madeHistory().map((entry) =>
        entry.kind === 'node' && entry.node === 'cp-1' && entry.episode === 1
          ? { ...entry, draining: 2, processes }
          : entry,
      );
    const found = (processes: number) => findingsIn('Z', entries(processes));
    expect(found(13)).toEqual([]);
    expect(found(17)).toEqual(['cp-1: 9 processes that last, and later 13']);
  });
  test('descriptors that are closed again by one of the last rests are not a violation', () => {
    const at = (atMs: number, count: number) => atRest('cp-1', atMs, 1, { descriptors: { haproxy: count } });
    const entries = madeHistory().flatMap((entry) =>
      entry.kind === 'node' && entry.node === 'cp-1' && entry.episode === 1
        ? [at(98_000, 20), at(99_000, 40), at(100_000, 40)]
        : [entry],
    );
    expect(judge(entries).flatMap(({ violations }) => violations)).toEqual([]);
  });
});
