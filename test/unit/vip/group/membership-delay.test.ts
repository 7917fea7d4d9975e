import { describe, expect, test } from 'vitest';
import { clusterNameOf } from '../../../../src/engine/kube/control-plane/cluster-name.ts';
import {
  type GroupView,
  groupView,
  membershipDelayMs,
  withoutForgetting,
} from '../../../../src/vip/group/membership-delay.ts';
import type { VrrpInput } from '../../../../src/vip/group/vrrp.ts';

const group = (isMember: boolean, ...names: readonly string[]): GroupView => ({
  nodes: new Set(names),
  isMember,
  isExcluded: !isMember,
});

describe('whose turn it is', () => {
  test('a node that joins others waits until they know it', () => {
    expect(membershipDelayMs(undefined, group(true, 'a', 'b', 'c'), false)).toBeGreaterThan(0);
    expect(membershipDelayMs(group(false, 'a', 'b'), group(true, 'a', 'b', 'c'), false)).toBeGreaterThan(0);
  });

  test('a node that returns to a group that knows it waits for less, and one that stays forgets as late', () => {
    const all = group(true, 'a', 'b', 'c');
    const joinMs = membershipDelayMs(undefined, all, false);
    expect(membershipDelayMs(undefined, all, true)).toBeLessThan(joinMs);
    // What the others need to see it again, settle and reload.
    expect(membershipDelayMs(undefined, all, true)).toBeGreaterThan(700);
    expect(membershipDelayMs(all, group(true, 'a', 'b'), true)).toBe(joinMs);
  });

  test('the first node of a cluster does not wait', () => {
    expect(membershipDelayMs(undefined, group(true, 'a'), false)).toBe(0);
  });

  test('a staying node adds members at once and removes them late', () => {
    const served = group(true, 'a', 'b');
    expect(membershipDelayMs(served, group(true, 'a', 'b', 'c'), false)).toBe(0);
    expect(membershipDelayMs(served, group(true, 'a', 'b'), false)).toBe(0);
    expect(membershipDelayMs(served, group(true, 'a'), false)).toBeGreaterThan(0);
    expect(membershipDelayMs(served, group(true, 'a', 'c'), false)).toBeGreaterThan(0);
  });

  test('a leaving node leaves at once', () => {
    expect(membershipDelayMs(group(true, 'a', 'b'), group(false, 'b'), false)).toBe(0);
  });
});

describe('what is served until a node may be forgotten', () => {
  const list = (...nodes: readonly string[]) =>
    nodes.map((text) => ({ name: text.slice(0, 1), addresses: [`10.0.0.${text.slice(1)}`] }));
  const input = (controlPlane: VrrpInput['controlPlane'], allNodes: VrrpInput['allNodes'] = []) =>
    ({ controlPlane, allNodes }) as VrrpInput;

  test('the new nodes and the one that is gone', () => {
    const shown = withoutForgetting(input(list('a1', 'b2')), input(list('a1', 'c3')));
    expect(shown?.controlPlane).toEqual(list('a1', 'c3', 'b2'));
  });

  test('of each kind of VIP, whichever has a new one', () => {
    const served = input(list('a1', 'b2'), list('a1', 'w8'));
    const shown = withoutForgetting(served, input(list('a1'), list('a1', 'x9')));
    expect(shown).toEqual(input(list('a1', 'b2'), list('a1', 'x9', 'w8')));
  });

  test('nothing else where no node is new', () => {
    expect(withoutForgetting(input(list('a1', 'b2')), input(list('a1')))).toBeUndefined();
  });

  test('not the node whose address the new one has', () => {
    const shown = withoutForgetting(input(list('a1', 'b2')), input(list('a1', 'c2')));
    expect(shown?.controlPlane).toEqual(list('a1', 'c2'));
  });
});

describe('a node knows itself', () => {
  const input = (changes: Partial<VrrpInput['settings']>, addresses: readonly string[] = []): VrrpInput => ({
    settings: {
      ...{ clusterName: 'c' },
      ...{ apiVips: ['10.0.0.100'], ingressVips: [], nodeName: 'elsewhere' },
      ...{ notifyFifo: '/f', trackFiles: { api: '/t', ingress: '/i' } },
      ...changes,
    },
    controlPlane: [{ name: 'a', addresses: ['10.0.0.1'] }],
    allNodes: [{ name: 'w', addresses: ['10.0.0.9'] }],
    interfaces: [{ name: 'eth0', addresses }],
    routes: [],
  });

  test('by its name, its address, or an address of its interfaces', () => {
    expect(groupView(input({})).isMember).toBe(false);
    expect(groupView(input({ nodeName: 'a' })).isMember).toBe(true);
    expect(groupView(input({ nodeIp: '10.0.0.1' })).isMember).toBe(true);
    expect(groupView(input({}, ['10.0.0.1/24'])).isMember).toBe(true);
    expect([...groupView(input({})).nodes]).toEqual(['a', 'w']);
  });

  test('a worker that was a control-plane node leaves, though it is still a node', () => {
    const both = { ingressVips: ['10.0.0.101'], nodeName: 'w' };
    expect(groupView(input(both))).toMatchObject({ isMember: false, isExcluded: true });
    expect(groupView(input({ ...both, apiVips: [] }))).toMatchObject({ isMember: true, isExcluded: false });
  });

  test('a list that names only other nodes excludes this one, an empty list does not', () => {
    expect(groupView(input({})).isExcluded).toBe(true);
    expect(groupView(input({ nodeName: 'a' })).isExcluded).toBe(false);
    expect(groupView(input({ firstNode: true })).isExcluded).toBe(true);
    const unknown = { ...input({ firstNode: true }), controlPlane: [], allNodes: [] };
    expect(groupView(unknown)).toMatchObject({ isMember: false, isExcluded: false });
  });
});

test.each([
  ['api.prod.example.com', 'prod'],
  ['api-int.prod.example.com', 'prod'],
  ['prod.example.com', 'prod'],
  ['api', 'api'],
  ['10.0.0.5', '10-0-0-5'],
  ['[fd00::5]', 'fd00-5'],
])('the name of the cluster behind "%s" is "%s"', (host, name) => {
  expect(clusterNameOf(host)).toBe(name);
});
