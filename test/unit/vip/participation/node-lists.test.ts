import { describe, expect, test } from 'vitest';
import type { VrrpInput } from '../../../../src/vip/group/vrrp.ts';
import {
  type GoneNodes,
  listedNames,
  nextGone,
  nextListFact,
  nextRemovalInMs,
  peersToServe,
} from '../../../../src/vip/participation/listed-nodes.ts';

const list = (...nodes: readonly string[]) =>
  nodes.map((text) => ({ name: text.slice(0, 1), addresses: [`10.0.0.${text.slice(1)}`] }));
const none: GoneNodes = new Map();

describe('the peers that keepalived gets', () => {
  test('an added node counts at once, a removed one after three seconds, both in one step', () => {
    const before = list('a1', 'b2');
    const after = list('a1', 'c3');
    const gone = nextGone(none, before, after, 1_000);
    expect(peersToServe(after, gone, 1_000)).toEqual(list('a1', 'c3', 'b2'));
    expect(nextRemovalInMs(gone, 1_000)).toBe(3_000);
    expect(peersToServe(after, gone, 3_999)).toEqual(list('a1', 'c3', 'b2'));
    expect(peersToServe(after, gone, 4_000)).toEqual(after);
    expect(nextRemovalInMs(nextGone(gone, after, after, 4_000), 4_000)).toBeUndefined();
  });

  test('a node whose address another one has now is dropped at once', () => {
    const after = list('a1', 'c2');
    expect(peersToServe(after, nextGone(none, list('a1', 'b2'), after, 0), 0)).toEqual(after);
  });

  test('a node that is listed again is not gone, and stays for three seconds when it goes again', () => {
    const all = list('a1', 'b2');
    const some = list('a1');
    const gone = nextGone(nextGone(none, all, some, 0), some, all, 1_000);
    expect(gone.size).toBe(0);
    const again = nextGone(gone, all, some, 2_000);
    expect(peersToServe(some, again, 4_999)).toEqual(all);
  });

  test('a removal counts from the first list without the node, however often the list changes', () => {
    const gone = nextGone(none, list('a1', 'b2'), list('a1'), 0);
    const later = nextGone(gone, list('a1'), list('a1', 'c3'), 2_000);
    expect(nextRemovalInMs(later, 2_000)).toBe(1_000);
  });
});

describe('whom the lists name', () => {
  const input = (changes: Partial<VrrpInput['settings']>, addresses: readonly string[] = []): VrrpInput => ({
    settings: {
      clusterName: 'c',
      apiVips: ['10.0.0.100'],
      ingressVips: [],
      nodeName: 'elsewhere',
      notifyFifo: '/f',
      trackFiles: { api: '/t', ingress: '/i' },
      ...changes,
    },
    controlPlane: [{ name: 'a', addresses: ['10.0.0.1'] }],
    allNodes: [{ name: 'w', addresses: ['10.0.0.9'] }],
    interfaces: [{ name: 'eth0', addresses }],
    routes: [],
  });

  test('this node by its name, its address, or an address of its interfaces', () => {
    expect(listedNames(input({}))).toBe('others');
    expect(listedNames(input({ nodeName: 'a' }))).toBe('us');
    expect(listedNames(input({ nodeIp: '10.0.0.1' }))).toBe('us');
    expect(listedNames(input({}, ['10.0.0.1/24']))).toBe('us');
  });

  test('a worker that was a control-plane node is not named, though it is still a node', () => {
    const both = { ingressVips: ['10.0.0.101'], nodeName: 'w' };
    expect(listedNames(input(both))).toBe('others');
    expect(listedNames(input({ ...both, apiVips: [] }))).toBe('us');
  });

  test('an empty list names nobody, or the first node', () => {
    const empty = (firstNode: boolean) => ({ ...input({ firstNode }), controlPlane: [], allNodes: [] });
    expect(listedNames(empty(false))).toBe('nobody');
    expect(listedNames(empty(true))).toBe('us');
    expect(listedNames(input({ firstNode: true }))).toBe('others');
  });

  test('a believed list counts from the first moment at which it named the same', () => {
    const seen = { standings: ['believed'] as const, names: 'us' as const, sameAsLastRun: false };
    const first = nextListFact({ kind: 'none' }, seen, 1_000);
    expect(nextListFact(first, seen, 2_000)).toEqual({
      kind: 'believed',
      since: 1_000,
      names: 'us',
      sameAsLastRun: false,
    });
    expect(nextListFact(first, { ...seen, names: 'others' }, 2_000)).toMatchObject({ since: 2_000 });
    expect(nextListFact(first, { ...seen, standings: ['believed', 'undecided'] }, 2_000)).toEqual({
      kind: 'settling',
    });
    expect(nextListFact(first, { ...seen, standings: ['believed', 'held'] }, 2_000)).toEqual({
      kind: 'none',
    });
    expect(nextListFact(first, { ...seen, names: undefined }, 2_000)).toEqual({ kind: 'none' });
  });
});
