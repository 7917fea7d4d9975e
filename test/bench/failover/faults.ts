import type { ProcessId } from '../../../src/engine/system/process/processes.ts';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import { API_PORT, apiServerAnswers, startApiServer } from '../../helpers/vrrp/api-server.ts';
import type { BedNode } from '../../helpers/vrrp/bed-node.ts';
import { sendSignal, waitForEnd } from '../../helpers/vrrp/bed-process.ts';
import { takeOvers } from '../../helpers/vrrp/holdings.ts';
import { hasOrder, typed } from '../../helpers/vrrp/typed.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import type { FailoverTarget, Fault } from './fault.ts';
import type { Scene } from './scene.ts';

/** Not once in any trial. */
export const never: FailoverTarget = { atMost: 0, of: 'max' };
const within = (atMost: number): FailoverTarget => ({ atMost, of: 'median' });

const noFault: Fault = {
  name: 'no-fault',
  about: 'nothing happens; what is lost here is the noise of the machine',
  headline: 'lost',
  targets: {
    moves: never,
    recoveryMoves: never,
    supervisorMb: { atMost: 60, of: 'max' },
    monitorMb: { atMost: 90, of: 'max' },
  },
  moves: 0,
  subjects: ['hawser'],
  weigh: true,
  inject: async () => monotonicMs(),
  undo: async () => {},
};

export const nodeDeath: Fault = {
  name: 'node-death',
  about: 'the holder loses its network and everything that runs on it',
  headline: 'outageMs',
  targets: {
    outageMs: within(350),
    failureWindowMs: { atMost: 1_000, of: 'max' },
    recoveryMoves: never,
    twoHoldersAfterMs: never,
  },
  moves: 1,
  tail: true,
  inject: ({ bed }, holder) => bed.powerOff(holder),
  undo: async ({ bed, bootNode }, holder) => {
    await bed.powerOn(holder);
    await bootNode(holder);
  },
};

/** A member that does not hold the VIP. */
function otherThan({ members }: Scene, holder: BedNode): BedNode {
  const other = members.find((node) => node !== holder);
  if (other === undefined) throw new Error('Cannot find another node: the holder is alone');
  return other;
}

const tailTargets: Fault['targets'] = {
  failureWindowMs: { atMost: 2_000, of: 'max' },
  longestWaitMs: { atMost: 1_000, of: 'max' },
  moves: never,
  recoveryMoves: never,
};

const otherNodeDeath: Fault = {
  ...nodeDeath,
  name: 'other-node-death',
  about: 'a node without the VIP loses its network and everything that runs on it',
  headline: 'failureWindowMs',
  targets: tailTargets,
  moves: 0,
  inject: (scene, holder) => scene.bed.powerOff(otherThan(scene, holder)),
  undo: (scene, holder) => nodeDeath.undo(scene, otherThan(scene, holder)),
};

const apiDrop: Fault = {
  name: 'api-drop',
  about: 'a packet filter drops what is sent to the API server of a node without the VIP',
  headline: 'failureWindowMs',
  targets: tailTargets,
  moves: 0,
  tail: true,
  inject: async (scene, holder) => {
    const atMs = monotonicMs();
    const rules = `add table inet drop_api; add chain inet drop_api input { type filter hook input priority 0; };
      add rule inet drop_api input tcp dport ${API_PORT} drop`;
    await otherThan(scene, holder).namespace.run('nft', rules);
    return atMs;
  },
  undo: async (scene, holder) =>
    void (await otherThan(scene, holder).namespace.run('nft', 'delete table inet drop_api')),
};

const apiHang: Fault = {
  name: 'api-hang',
  about: "SIGSTOP for the holder's API server",
  headline: 'failureWindowMs',
  targets: { failureWindowMs: { atMost: 3_000, of: 'max' }, moves: never, recoveryMoves: never },
  moves: 0,
  tail: true,
  inject: async (_scene, holder) => signalNow(apiServerOf(holder), 'SIGSTOP'),
  undo: async (_scene, holder) => void signalNow(apiServerOf(holder), 'SIGCONT'),
};

export const haproxyKill: Fault = {
  name: 'haproxy-kill',
  about: 'SIGKILL for every HAProxy process of the holder',
  headline: 'outageMs',
  targets: { outageMs: within(80), recoveryMoves: never, twoHoldersMs: never },
  moves: 1,
  inject: async (_scene, holder) => signalNow(holder.running('haproxy'), 'SIGKILL'),
  undo: ({ stack }, holder) => stack.restoreHaproxy(holder),
};

export const haproxyHang: Fault = {
  name: 'haproxy-hang',
  about: 'SIGSTOP for every HAProxy process of the holder',
  headline: 'outageMs',
  targets: { outageMs: within(900), recoveryMoves: never, twoHoldersMs: never },
  moves: 1,
  inject: async (_scene, holder) => signalNow(holder.running('haproxy'), 'SIGSTOP'),
  undo: async ({ stack }, holder) => {
    signalNow(holder.running('haproxy'), 'SIGCONT');
    await stack.restoreHaproxy(holder);
  },
};

export const keepalivedTerm: Fault = {
  name: 'keepalived-term',
  about: "SIGTERM, as when the holder's keepalived pod is deleted",
  headline: 'outageMs',
  targets: { outageMs: within(60), recoveryMoves: never, twoHoldersMs: never },
  moves: 1,
  inject: async ({ stack }, holder) => signalNow(stack.keepalivedMain(holder), 'SIGTERM'),
  undo: async ({ stack }, holder) => {
    await waitForEnd(stack.keepalivedMain(holder));
    await stack.restoreKeepalived(holder);
  },
};

export const keepalivedKill: Fault = {
  name: 'keepalived-kill',
  about: "SIGKILL for the holder's keepalived; HAProxy lives on, so its VIP serves until another node has it",
  headline: 'outageMs',
  targets: {
    outageMs: within(60),
    recoveryMoves: never,
    twoHoldersMs: never,
    staleVipMs: { atMost: 1_000, of: 'max' },
  },
  moves: 1,
  // Children first: a child that sees its parent die still sends a priority 0 advert to the other nodes.
  inject: async ({ kills }, holder) => {
    const atMs = signalNow(holder.running('keepalived').toReversed(), 'SIGKILL');
    kills.push({ node: holder.name, holds: false, atMs });
    return atMs;
  },
  undo: ({ stack }, holder) => stack.restoreKeepalived(holder),
};

export const apiKill: Fault = {
  name: 'api-kill',
  about: "SIGKILL for the holder's API server",
  headline: 'failureWindowMs',
  targets: { failureWindowMs: within(120), moves: never, recoveryMoves: never },
  moves: 0,
  tail: true,
  inject: async (_scene, holder) => signalNow(apiServerOf(holder), 'SIGKILL'),
  undo: async ({ bed }, holder) => void startApiServer(bed, holder),
};

export const split: Fault = {
  name: 'split',
  about: 'holder and client are cut off from the other nodes',
  headline: 'healingMs',
  targets: { healingMs: { atMost: 30, of: 'max' }, recoveryMoves: never },
  moves: 1,
  tail: true,
  inject: ({ bed }, holder) => bed.split([holder, 'client']),
  undo: async ({ bed }) => void (await bed.heal()),
};

export const splitFar: Fault = {
  ...split,
  name: 'split-far',
  about: 'the holder is cut off from the client and the other nodes',
  headline: 'outageMs',
  targets: { ...split.targets, outageMs: within(350) },
  subjects: ['hawser'],
  inject: ({ bed }, holder) => bed.split([holder]),
};

const twoMoves: Fault = {
  name: 'two-moves',
  about: 'both nodes without the VIP claim it at once: hawser move-vip --to',
  headline: 'twoHoldersMs',
  targets: { twoHoldersMs: { atMost: 30, of: 'max' } },
  moves: 1,
  subjects: ['hawser'],
  inject: async ({ bed, members }, holder) => {
    const atMs = monotonicMs();
    const claims = members.filter((node) => node !== holder);
    const said = await Promise.all(claims.map((node) => typed(node, 'move-vip', '--to', node.name)));
    if (takeOvers(bed.events(), atMs, monotonicMs()).length === 0)
      throw new Error(`Cannot move the VIP twice: ${said.map(({ text }) => text).join(' / ')}`);
    return atMs;
  },
  undo: async ({ members }) => void (await waitFor('no order to be left', () => !members.some(hasOrder))),
};

export const addPeer: Fault = {
  name: 'add-peer',
  about: 'a fourth node joins',
  headline: 'lost',
  targets: { lost: never, moves: never, twoHoldersMs: never },
  moves: 0,
  inject: async ({ bed, stack, members, guest }) => {
    startApiServer(bed, guest);
    await waitFor(`${guest.name} to answer`, () => apiServerAnswers(guest));
    const atMs = monotonicMs();
    await stack.join(guest, [...members, guest]);
    return atMs;
  },
  undo: ({ stack, members, guest }) => stack.leave(guest, members),
};

export const removePeer: Fault = {
  ...addPeer,
  name: 'remove-peer',
  about: 'the fourth node leaves, in the order that an administrator would follow',
  arrange: async (scene) => void (await addPeer.inject(scene, scene.guest)),
  inject: async ({ stack, members, guest }) => {
    const atMs = monotonicMs();
    await stack.leave(guest, members);
    return atMs;
  },
  undo: async () => {},
};

export const faults: readonly Fault[] = [
  ...[noFault, nodeDeath, haproxyKill, haproxyHang, keepalivedTerm, keepalivedKill],
  ...[otherNodeDeath, apiDrop, apiHang, apiKill, split, splitFar, twoMoves],
  ...[addPeer, removePeer],
];

function apiServerOf(node: BedNode): readonly ProcessId[] {
  return node.processes().flatMap(({ id, argv }) => (argv[1]?.endsWith('api-server/main.ts') ? id : []));
}

function signalNow(ids: readonly ProcessId[], signal: NodeJS.Signals): number {
  if (ids.length === 0) throw new Error(`Cannot send ${signal}: nothing of that kind runs on the node`);
  const atMs = monotonicMs();
  sendSignal(ids, signal);
  return atMs;
}
