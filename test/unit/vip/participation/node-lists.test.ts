import { describe, expect, test } from 'vitest';
import type { VrrpInput } from '../../../../src/vip/group/vrrp.ts';
import {
  type GoneNodes,
  isListedElsewhere,
  listedNames,
  nextGone,
  nextListFact,
  nextRemovalInMs,
  peersToServe,
} from '../../../../src/vip/participation/listed-nodes.ts';

const list = (...nodes: readonly string[]) =>
  nodes.map((text) => ({ name: text.slice(0, 1), addresses: [`10.0.0.${text.slice(1)}`] }));
const none: GoneNodes = new Map();

describe("keepalived's peers", () => {
  test('an addition applies at once, a removal after three seconds', () => {
    const before = list('a1', 'b2');
    const after = list('a1', 'c3');
    const gone = nextGone(none, before, after, 1_000);
    const peersAt = (now: number) => peersToServe(after, nextGone(gone, after, after, now));
    expect(peersToServe(after, gone)).toEqual(list('a1', 'c3', 'b2'));
    expect(nextRemovalInMs(gone, 1_000)).toBe(3_000);
    expect(peersAt(3_999)).toEqual(list('a1', 'c3', 'b2'));
    expect(peersAt(4_000)).toEqual(after);
    expect(nextRemovalInMs(nextGone(gone, after, after, 4_000), 4_000)).toBeUndefined();
  });

  test('a removed node whose address was reassigned is dropped at once', () => {
    const after = list('a1', 'c2');
    expect(peersToServe(after, nextGone(none, list('a1', 'b2'), after, 0))).toEqual(after);
  });

  test('a node that is listed again is not gone, and its next removal takes three seconds again', () => {
    const all = list('a1', 'b2');
    const some = list('a1');
    const gone = nextGone(nextGone(none, all, some, 0), some, all, 1_000);
    expect(gone.size).toBe(0);
    const again = nextGone(gone, all, some, 2_000);
    expect(peersToServe(some, nextGone(again, some, some, 4_999))).toEqual(all);
  });

  test('the three seconds start at the first list without the node, even if the list changes again', () => {
    const gone = nextGone(none, list('a1', 'b2'), list('a1'), 0);
    const later = nextGone(gone, list('a1'), list('a1', 'c3'), 2_000);
    expect(nextRemovalInMs(later, 2_000)).toBe(1_000);
  });
});

describe('the names in the lists', () => {
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

  test('identify this node by name, by node IP, or by an address of an interface', () => {
    expect(listedNames(input({}))).toBe('others');
    expect(listedNames(input({ nodeName: 'a' }))).toBe('us');
    expect(listedNames(input({ nodeIp: '10.0.0.1' }))).toBe('us');
    expect(listedNames(input({}, ['10.0.0.1/24']))).toBe('us');
  });

  test('put this node elsewhere while it has none of the addresses that a list gives it', () => {
    const elsewhere = ['10.0.0.7/24'];
    expect(isListedElsewhere(input({ nodeName: 'a' }, ['10.0.0.1/24']), [])).toBe(false);
    expect(isListedElsewhere(input({ nodeName: 'a' }, elsewhere), [])).toBe(true);
    expect(isListedElsewhere(input({ nodeName: 'a' }, elsewhere), ['10.0.0.1'])).toBe(false);
    expect(isListedElsewhere(input({ nodeIp: '10.0.0.1' }, elsewhere), [])).toBe(true);
    expect(isListedElsewhere(input({}, elsewhere), [])).toBe(false);
    const twin = { controlPlane: [...list('a1'), { name: 'b', addresses: ['10.0.0.7'] }] };
    expect(isListedElsewhere({ ...input({ nodeName: 'a' }, elsewhere), ...twin }, [])).toBe(true);
    const dualStack = { controlPlane: [{ name: 'a', addresses: ['10.0.0.1', 'fd00::1'] }] };
    expect(isListedElsewhere({ ...input({ nodeName: 'a' }, ['fd00::1/64']), ...dualStack }, [])).toBe(true);
    const both = input({ ingressVips: ['10.0.0.101'], nodeName: 'a' }, ['10.0.0.1/24']);
    const moved = { allNodes: [{ name: 'a', addresses: ['10.0.0.9'] }] };
    expect(isListedElsewhere({ ...both, ...moved }, [])).toBe(true);
    expect(isListedElsewhere({ ...input({ firstNode: true }), controlPlane: [] }, [])).toBe(false);
  });

  test('do not include a former control-plane node that is now a worker', () => {
    const both = { ingressVips: ['10.0.0.101'], nodeName: 'w' };
    expect(listedNames(input(both))).toBe('others');
    expect(listedNames(input({ ...both, apiVips: [] }))).toBe('us');
  });

  test('do not remove this node if the list is empty', () => {
    const empty = (firstNode: boolean) => ({ ...input({ firstNode }), controlPlane: [], allNodes: [] });
    expect(listedNames(empty(false))).toBe('us');
    expect(listedNames(empty(true))).toBe('us');
    expect(listedNames(input({ firstNode: true }))).toBe('others');
  });

  test('count since the first accepted list that gave the same result', () => {
    const observed = { standings: ['accepted'] as const, names: 'us' as const, sameAsLastRun: false };
    const first = nextListFact({ kind: 'none' }, observed, 1_000);
    expect(nextListFact(first, observed, 2_000)).toEqual({
      kind: 'accepted',
      since: 1_000,
      names: 'us',
      sameAsLastRun: false,
    });
    expect(nextListFact(first, { ...observed, names: 'others' }, 2_000)).toMatchObject({ since: 2_000 });
    expect(nextListFact(first, { ...observed, standings: ['accepted', 'undecided'] }, 2_000)).toEqual({
      kind: 'settling',
    });
    expect(nextListFact(first, { ...observed, standings: ['accepted', 'held'] }, 2_000)).toEqual({
      kind: 'none',
    });
    expect(nextListFact(first, { ...observed, names: undefined }, 2_000)).toEqual({ kind: 'none' });
  });
});
